// The serial line, and the two kinds of UART: nRF51's UART and nRF52's UARTE.
//
// Bytes from outside arrive at 115200 baud, each in the time of ten bits, even if the receiver is
// not ready. Those that it has no room for are lost, as on a board. Not modelled: other baud rates,
// parity, flow control, breaks.
//
// Source: nRF51 Series Reference Manual 3.0, UART; nRF52833 Product Specification 1.3, UARTE.
#include "core.h"

enum {
  UART = 0x40002000, UART_STARTRX = 0x000, UART_STOPRX = 0x004, UART_STARTTX = 0x008,
  UART_STOPTX = 0x00c, UART_SUSPEND = 0x01c, FLUSHRX = 0x02c,
  CTS = 0x100, NCTS = 0x104, RXDRDY = 0x108, ENDRX = 0x110, TXDRDY = 0x11c, ENDTX = 0x120,
  UART_ERROR = 0x124, RXTO = 0x144, UART_RXSTARTED = 0x14c, UART_TXSTARTED = 0x150,
  TXSTOPPED = 0x158,
  UART_ERRORSRC = 0x480, PSELRTS = 0x508, PSELTXD = 0x50c, PSELCTS = 0x510, PSELRXD = 0x514,
  UART_RXD = 0x518, UART_TXD = 0x51c,
  UART_RXD_PTR = 0x534, UART_RXD_MAXCNT = 0x538, UART_RXD_AMOUNT = 0x53c,
  UART_TXD_PTR = 0x544, UART_TXD_MAXCNT = 0x548, UART_TXD_AMOUNT = 0x54c,
  ENDRX_STARTRX = 1 << 5, ENDRX_STOPRX = 1 << 6, OVERRUN = 1 << 0,
  BAUD = 115200, FIFO = 6,  // bytes that a receiver holds until the firmware takes them
  LINE_BYTES = 8192, MAX_SEND = 4096,
};

// The line to the computer, and a line on other pins. They survive a reset.
typedef struct {
  u32 in_first, in_count;  // a ring of the bytes that are on their way to the chip
  u32 out_count;           // the bytes that the chip has sent; the host takes them
  bool is_moving;
  Device arrival;
  u8 in[LINE_BYTES], out[LINE_BYTES];
} Line;

static Line lines[2];
enum { USB_LINE, PIN_LINE };

// The host writes what it sends to `input_at`, and takes what the chip has sent from `output_at`.
static u8 input[LINE_BYTES];

void *EXPORT(input_at)(void) { return input; }
void *EXPORT(output_at)(u32 number) { return lines[number].out; }

void EXPORT(take_output)(u32 number) { lines[number].out_count = status.out_count[number] = 0; }

static void count_line(u32 number, u32 *in, u32 *out) {
  *in = lines[number].in_count;
  *out = lines[number].out_count;
}

static i64 line_byte_cycles(void) { return (i64)kind->hz * 10 / BAUD; }

static void move_line(Line *line) {
  if (!line->in_count || line->is_moving) return;
  line->is_moving = true;
  schedule(&line->arrival, now() + line_byte_cycles());
}

// Send the first bytes of `input` to the chip. Returns how many the line had room for.
u32 EXPORT(send)(u32 number, u32 size) {
  Line *line = &lines[number];
  u32 sent = 0;
  for (; sent < size && line->in_count < LINE_BYTES; sent++)
    line->in[(line->in_first + line->in_count++) % LINE_BYTES] = input[sent];
  move_line(line);
  update_status();
  return sent;
}

static void put(Line *line, const u8 *data, u32 size) {
  for (u32 at = 0; at < size && line->out_count < LINE_BYTES; at++)
    line->out[line->out_count++] = data[at];
  if (line->out_count > LINE_BYTES - MAX_SEND) stop_for(OUTPUT_FULL, 0, 0);
}

static void clear_lines(void) { lines[USB_LINE].in_count = lines[PIN_LINE].in_count = 0; }

// What both kinds have in common: the line, and the FIFO.

static struct {
  bool is_listening, has_buffer;
  u8 fifo[FIFO];
  u32 fifo_count;
  u32 pointer, room, amount;
  u32 sending_size;
  u8 sending[MAX_SEND];
} uart;

static Line *line_of(Page *page, u32 select) {
  u32 pin = *value(page, select);
  return &lines[pin == kind->usb_tx || pin == kind->usb_rx ? USB_LINE : PIN_LINE];
}

static u8 take_from_fifo(void) {
  u8 byte = uart.fifo[0];
  uart.fifo_count--;
  for (u32 at = 0; at < uart.fifo_count; at++) uart.fifo[at] = uart.fifo[at + 1];
  return byte;
}

static void store_received(Page *page, u8 byte);

static void take_in(Page *page, u8 byte) {
  if (kind->is_v2 && uart.has_buffer) {
    store_received(page, byte);
    return;
  }
  uart.fifo[uart.fifo_count++] = byte;
  if (!kind->is_v2 && uart.fifo_count == 1) set_event(page, RXDRDY);
}

// A byte has arrived from outside.
static void arrive(void *owner) {
  Line *line = owner;
  Page *page = page_at(UART);
  line->is_moving = false;
  if (!line->in_count) return;
  u8 byte = line->in[line->in_first];
  line->in_first = (line->in_first + 1) % LINE_BYTES;
  line->in_count--;
  if (uart.is_listening && line == line_of(page, PSELRXD)) {
    if (uart.fifo_count == FIFO) {
      *value(page, UART_ERRORSRC) |= OVERRUN;
      set_event(page, UART_ERROR);
    } else take_in(page, byte);
  }
  move_line(line);
  if (status.has_more[line - lines] && line->in_count <= 1) stop_for(INPUT_LOW, 0, 0);
}

static void uart_sent(Page *page) {
  if (kind->is_v2) *value(page, UART_TXD_AMOUNT) = uart.sending_size;
  put(line_of(page, PSELTXD), uart.sending, uart.sending_size);
  set_event(page, TXDRDY);
  if (kind->is_v2) set_event(page, ENDTX);
}

static void begin_sending(Page *page, u32 size) {
  uart.sending_size = size;
  begin(page, line_byte_cycles() * size, uart_sent);
}

// The nRF51's UART, byte by byte.

static bool uart_task(Page *page, u32 offset) {
  switch (offset) {
    case UART_STARTRX: uart.is_listening = true; return true;
    case UART_STOPRX: uart.is_listening = false; set_event(page, RXTO); return true;
    default: return offset == UART_STARTTX || offset == UART_STOPTX || offset == UART_SUSPEND;
  }
}

static u32 read_uart(Page *page, u32 offset) {
  if (offset != UART_RXD) return read_register(page, offset);
  u8 byte = uart.fifo_count ? take_from_fifo() : 0;
  if (uart.fifo_count) set_event(page, RXDRDY);
  return byte;
}

static void write_uart(Page *page, u32 offset, u32 size, u32 new) {
  if (offset == UART_ERRORSRC) *value(page, offset) &= ~new;  // writing ones clears them
  else if (offset == UART_TXD && !kind->is_v2) {
    uart.sending[0] = (u8)new;
    begin_sending(page, 1);
  } else write_register(page, offset, size, new);
}

// The nRF52's UARTE, with DMA. A buffer to send is read at STARTTX, because CODAL passes a byte on
// its stack. Between two buffers to receive, bytes wait in the FIFO.

static void end_receiving(Page *page) {
  *value(page, UART_RXD_AMOUNT) = uart.amount;
  uart.has_buffer = false;
  set_event(page, ENDRX);
}

static void start_receiving(Page *page) {
  uart.pointer = *value(page, UART_RXD_PTR);
  uart.room = *value(page, UART_RXD_MAXCNT);
  uart.amount = 0;
  uart.is_listening = uart.has_buffer = true;
  set_event(page, UART_RXSTARTED);
  while (uart.fifo_count && uart.has_buffer) store_received(page, take_from_fifo());
}

static void stop_receiving(Page *page) {
  if (uart.has_buffer) end_receiving(page);
  uart.is_listening = false;
  set_event(page, RXTO);
}

static void store_received(Page *page, u8 byte) {
  copy_in(uart.pointer + uart.amount++, &byte, 1);
  set_event(page, RXDRDY);
  if (uart.amount < uart.room) return;
  end_receiving(page);
  if (*value(page, SHORTS) & ENDRX_STARTRX) start_receiving(page);
  else if (*value(page, SHORTS) & ENDRX_STOPRX) stop_receiving(page);
}

static bool uarte_task(Page *page, u32 offset) {
  u32 size = *value(page, UART_TXD_MAXCNT);
  switch (offset) {
    case UART_STARTRX: start_receiving(page); return true;
    case UART_STOPRX: stop_receiving(page); return true;
    case UART_STARTTX:
      size = size < MAX_SEND ? size : MAX_SEND;
      copy_out(*value(page, UART_TXD_PTR), uart.sending, size);
      set_event(page, UART_TXSTARTED);
      begin_sending(page, size);
      return true;
    case UART_STOPTX: set_event(page, TXSTOPPED); return true;
    case FLUSHRX: set_event(page, ENDRX); return true;
    default: return false;
  }
}

static void reset_serial(Page *page) {
  *value(page, PSELRTS) = *value(page, PSELTXD) = DISCONNECTED;
  *value(page, PSELCTS) = *value(page, PSELRXD) = DISCONNECTED;
  fill(&uart, 0, sizeof uart);
}

static void attach_serial(void) {
  static const u16 events[] = {CTS, NCTS, RXDRDY, ENDRX, TXDRDY, ENDTX, UART_ERROR, RXTO,
                               UART_RXSTARTED, UART_TXSTARTED, TXSTOPPED};
  Page *page = attach_slow(UART);
  page->read = kind->is_v2 ? read_register : read_uart;
  page->write = write_uart;
  page->task = kind->is_v2 ? uarte_task : uart_task;
  if (!kind->is_v2) page->polled = 1ull << ((TXDRDY - EVENTS) >> 2);
  for (u32 at = 0; at < COUNT(events); at++) model(page, events[at], events[at]);
  model_settings(page);
  model(page, UART_ERRORSRC, UART_ERRORSRC);
  page->reset = reset_serial;
  reset_serial(page);
  // A byte that was arriving starts again, because the reset has emptied the timeline.
  for (u32 number = 0; number < 2; number++) {
    add_device(&lines[number].arrival, arrive, &lines[number]);
    lines[number].is_moving = false;
    move_line(&lines[number]);
  }
}
