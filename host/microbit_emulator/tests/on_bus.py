"""The I2C bus of a micro:bit whose processor does something else, driven through the debug port."""

from microbit_emulator import Microbit

MASTER = 0x4000_3000
STARTRX, STARTTX, STOP, RESUME, BB = 0x000, 0x008, 0x014, 0x020, 0x138
ERRORSRC, PSELSCL, PSELSDA, RXD, TXD, ADDRESS = 0x4C4, 0x508, 0x50C, 0x518, 0x51C, 0x588
RXD_PTR, RXD_MAXCNT, TXD_PTR, TXD_MAXCNT = 0x534, 0x538, 0x544, 0x548
BUFFER = 0x2000_0800
BYTE_US = 100
PINS = {"V1": (0, 30), "V2": (8, 16)}


def i2c(board: Microbit, address: int, data: bytes, size: int) -> bytes:
    """Write these bytes to a device, if there are any; then read so many."""

    def write(register: int, value: int) -> None:
        board.debugger.write_word(MASTER + register, value)

    def read() -> int:
        return board.debugger.read_word(MASTER + RXD) & 0xFF

    values = *PINS[board.board], address
    for register, value in zip((PSELSCL, PSELSDA, ADDRESS), values, strict=True):
        write(register, value)
    if board.board == "V2":
        return _by_dma(board, write, data, size)
    received = bytearray()
    if data:
        write(STARTTX, 1)
    for byte in data:
        write(TXD, byte)
        board.run_for(2 * BYTE_US)
    for nth in range(size):
        write(RESUME if nth else STARTRX, 1)
        board.run_for(2 * BYTE_US)
        received.append(read())
    write(STOP, 1)
    board.run_for(BYTE_US)
    return bytes(received)


def _by_dma(board: Microbit, write: object, data: bytes, size: int) -> bytes:
    assert callable(write)
    if data:
        board.debugger.write_memory(BUFFER, data.ljust(-(-len(data) // 4) * 4, b"\0"))
        for register, value in ((TXD_PTR, BUFFER), (TXD_MAXCNT, len(data)), (STARTTX, 1)):
            write(register, value)
        board.run_for((1 + len(data)) * BYTE_US)
    if size:
        for register, value in ((RXD_PTR, BUFFER), (RXD_MAXCNT, size), (STARTRX, 1)):
            write(register, value)
        board.run_for((1 + size) * BYTE_US)
    return board.debugger.read_memory(BUFFER, size)
