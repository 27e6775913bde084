// The motion sensors, which are registers on the I2C bus, and the surroundings that they measure.
//
// V1: MMA8653 (accelerometer) and MAG3110 (magnetometer). V2: LSM303AGR (both). Modelled: sample
// rates, ranges, data ready. Samples come at multiples of their period since power-on, whenever the
// sensor was started. Not modelled: noise, gestures and other interrupts of the sensors,
// self-tests, FIFOs.
//
// Sources: NXP MMA8653FC rev. 7, MAG3110 rev. 9.2; ST LSM303AGR DocID027765 rev. 10.
#include "core.h"

static World world;

enum { SENSOR_REGISTERS = 128, DATA_READY = 0x0f };

// A write sets a register's number, and then the registers from there on. A read continues there.
typedef struct Sensor {
  u8 registers[SENSOR_REGISTERS];
  u8 address;
  bool counts_up;  // LSM303's accelerometer: whether the number counts up
  i64 read_at;
  u8 identity_at, identity, status, data;  // `data` is the first of the six bytes of a sample
  i64 (*period)(const struct Sensor *);    // in cycles; 0 without sampling
  void (*sample)(struct Sensor *);
} Sensor;

static Sensor accelerometer, magnetometer;

static bool is_ready(const Sensor *sensor) {
  i64 period = sensor->period(sensor);
  return period && now() / period > sensor->read_at / period;
}

static i64 next_sample(const Sensor *sensor) {
  i64 period = sensor->period(sensor);
  return period ? (now() / period + 1) * period : NEVER;
}

static void put_sample(Sensor *sensor, const i32 *counts, bool is_big_endian) {
  u8 *to = sensor->registers + sensor->data;
  for (u32 axis = 0; axis < 3; axis++) {
    to[2 * axis + is_big_endian] = (u8)counts[axis];
    to[2 * axis + !is_big_endian] = (u8)(counts[axis] >> 8);
  }
}

static i32 rounded(double value) { return (i32)__builtin_rint(value); }

// MMA8653: ten bits, a data-ready pin that is low while a sample waits.

static i64 mma8653_period(const Sensor *sensor) {
  static const u16 divider[] = {1, 2, 4, 8, 16, 64, 128, 512};  // of 800 Hz
  u8 control = sensor->registers[0x2a];  // CTRL_REG1
  return control & 1 ? (i64)kind->hz * divider[control >> 3 & 7] / 800 : 0;
}

static void mma8653_sample(Sensor *sensor) {
  double full_scale = 2000 << (sensor->registers[0x0e] & 3);  // XYZ_DATA_CFG
  const double axes[3] = {-world.mg[0], -world.mg[1], world.mg[2]};  // it lies the other way round
  i32 counts[3];
  for (u32 axis = 0; axis < 3; axis++)
    counts[axis] = (i32)most(-512, least(511, rounded(axes[axis] * 512 / full_scale))) * 64;
  put_sample(sensor, counts, true);
}

// MAG3110: a data-ready pin that is high while a sample waits.

static i64 mag3110_period(const Sensor *sensor) {
  u8 control = sensor->registers[0x10];  // CTRL_REG1
  u32 halvings = (control >> 5 & 7u) + (control >> 3 & 3u);  // of rate, and by oversampling
  return control & 1 ? ((i64)kind->hz << halvings) / 80 : 0;
}

static void mag3110_sample(Sensor *sensor) {
  i32 counts[3];
  for (u32 axis = 0; axis < 3; axis++) counts[axis] = -rounded(world.field_nt[axis] / 100);
  put_sample(sensor, counts, true);
}

// LSM303AGR: one pin for both, low while a sample waits.

static i64 lsm303_acceleration_period(const Sensor *sensor) {
  static const u16 rates[] = {0, 1, 10, 25, 50, 100, 200, 400, 1620, 1344, 0, 0, 0, 0, 0, 0};
  u32 rate = rates[sensor->registers[0x20] >> 4];  // CTRL_REG1
  return rate ? kind->hz / rate : 0;
}

static void lsm303_acceleration_sample(Sensor *sensor) {
  double full_scale_g = 2 << (sensor->registers[0x23] >> 4 & 3);  // CTRL_REG4
  const double axes[3] = {world.mg[0], -world.mg[1], world.mg[2]};
  i32 counts[3];
  for (u32 axis = 0; axis < 3; axis++)
    counts[axis] = (i32)most(-32768, least(32767, (i64)(axes[axis] * 32 / full_scale_g)));
  put_sample(sensor, counts, false);
}

static i64 lsm303_field_period(const Sensor *sensor) {
  static const u8 rates[] = {10, 20, 50, 100};
  u8 config = sensor->registers[0x60];  // CFG_A
  return config & 3 ? 0 : kind->hz / rates[config >> 2 & 3];
}

static void lsm303_field_sample(Sensor *sensor) {
  const double axes[3] = {world.field_nt[0], -world.field_nt[1], world.field_nt[2]};
  i32 counts[3];
  for (u32 axis = 0; axis < 3; axis++) counts[axis] = rounded(axes[axis] / 150);
  put_sample(sensor, counts, false);
}

// On the bus.

static void count_up(Sensor *sensor) {
  sensor->address = (sensor->address + 1) % SENSOR_REGISTERS;
}

static void write_sensor(void *self, const u8 *data, u32 size) {
  Sensor *sensor = self;
  if (!size) return;
  sensor->counts_up = data[0] & 0x80;
  sensor->address = data[0] % SENSOR_REGISTERS;
  for (u32 at = 1; at < size; at++) {
    sensor->registers[sensor->address] = data[at];
    count_up(sensor);
  }
}

// The value of a register; reading the first data register takes the sample.
static u8 get_register(Sensor *sensor, u8 number) {
  if (number == sensor->status) return is_ready(sensor) ? DATA_READY : 0;
  if (number == sensor->data) {
    sensor->read_at = now();
    sensor->sample(sensor);
  }
  return sensor->registers[number];
}

static void read_sensor(void *self, u8 *data, u32 size) {
  Sensor *sensor = self;
  bool repeats = kind->is_v2 && sensor == &accelerometer && !sensor->counts_up;
  if (kind->is_v2 && sensor == &accelerometer) sensor->sample(sensor);
  for (u32 at = 0; at < size; at++) {
    data[at] = get_register(sensor, sensor->address);
    if (!repeats) count_up(sensor);
  }
}

static void connect_sensor(Sensor *sensor, u8 address) {
  bus_devices[bus_device_count++] = (BusDevice){address, write_sensor, read_sensor, sensor};
}

static void connect_sensors(void) {
  static const Sensor
      mma8653 = {.identity_at = 0x0d, .identity = 0x5a, .status = 0x00, .data = 0x01,
                 .period = mma8653_period, .sample = mma8653_sample},
      mag3110 = {.identity_at = 0x07, .identity = 0xc4, .status = 0x00, .data = 0x01,
                 .period = mag3110_period, .sample = mag3110_sample},
      lsm303_acceleration = {.identity_at = 0x0f, .identity = 0x33, .status = 0x27, .data = 0x28,
                             .period = lsm303_acceleration_period,
                             .sample = lsm303_acceleration_sample},
      lsm303_field = {.identity_at = 0x4f, .identity = 0x40, .status = 0x67, .data = 0x68,
                      .period = lsm303_field_period, .sample = lsm303_field_sample};
  copy(&accelerometer, kind->is_v2 ? &lsm303_acceleration : &mma8653, sizeof accelerometer);
  copy(&magnetometer, kind->is_v2 ? &lsm303_field : &mag3110, sizeof magnetometer);
  connect_sensor(&accelerometer, kind->is_v2 ? 0x19 : 0x1d);
  connect_sensor(&magnetometer, kind->is_v2 ? 0x1e : 0x0e);
  reset_sensors();
}

static void reset_sensor(Sensor *sensor) {
  fill(sensor->registers, 0, sizeof sensor->registers);
  sensor->registers[sensor->identity_at] = sensor->identity;
  sensor->address = 0;
  sensor->counts_up = false;
  sensor->read_at = now();
}

// What a loss of power does.
static void reset_sensors(void) {
  reset_sensor(&accelerometer);
  reset_sensor(&magnetometer);
}

// Their pins, and the board's other pins that change by themselves.

enum { ACCELEROMETER_PIN = 28, MAGNETOMETER_PIN = 29, INTERRUPT_PIN = 25 };

static bool asserts(const Sensor *sensor, u32 control, u32 data_ready_to_pin) {
  return sensor->registers[control] & data_ready_to_pin && is_ready(sensor);
}

static void drive_sensor_pins(void) {
  i64 next = NEVER;
  if (kind->is_v2) {  // one pin for all devices on the bus: low while any of them asks
    bool asking = interface_chip_asserts() || asserts(&accelerometer, 0x22, 0x10) ||
                  asserts(&magnetometer, 0x62, 1);
    drive(INTERRUPT_PIN, !asking);
    // Only a transfer changes it then; else a new sample or an answer may come before.
    if (!asking) next = least(next_sample(&accelerometer), next_sample(&magnetometer));
    if (!asking) next = least(next, next_answer());
  } else {
    bool has_acceleration = is_ready(&accelerometer), has_field = is_ready(&magnetometer);
    drive(ACCELEROMETER_PIN, !has_acceleration);
    drive(MAGNETOMETER_PIN, has_field);
    // Only a transfer on the bus lets a pin go; a sample sets one.
    if (!has_acceleration) next = next_sample(&accelerometer);
    if (!has_field) next = least(next, next_sample(&magnetometer));
  }
  ports[0].inputs_change = next;
}

void EXPORT(set_tilt)(double x, double y, double z) {
  world.mg[0] = x;
  world.mg[1] = y;
  world.mg[2] = z;
}

void EXPORT(set_field)(double x, double y, double z) {
  world.field_nt[0] = x;
  world.field_nt[1] = y;
  world.field_nt[2] = z;
}

void EXPORT(set_temperature)(double celsius) { world.temperature_c = celsius; }
void EXPORT(set_light)(i32 level) { world.light = level; }
void EXPORT(set_sound)(i32 level) { world.sound = level; }
void EXPORT(touch_logo)(u32 is_touched) { world.logo_touched = is_touched; }

// Hold these buttons: 1 for A, 2 for B.
void EXPORT(hold)(u32 buttons) {
  world.pressed = buttons;
  wire_buttons();
}

void EXPORT(set_voltage)(u32 pin, double volts) {
  world.volts[pin] = volts;
  world.has_volts |= 1ull << pin;
  drive_pins();
}
