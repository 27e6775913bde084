// What the page takes from the Foundation's library; esbuild bundles it.
export { createUSBConnection } from '@microbit/microbit-connection/usb';
