# noughts: what only a V2 needs; a V1 never imports this.
import buttons
import sound  # noqa: F401  # it works by itself
from microbit import button_a, button_b, pin5, pin11


def reader(pin, button):
    # Gives 0 while a button is down. Some pins always read 0: pin 11 on firmware 2.0.0-beta.5, and
    # both in the simulator on python.microbit.org. Those, and buttons that are held now, use the
    # firmware's debounced button, which is slower.
    return pin if pin() else lambda: not button()


one = reader(pin5.read_digital, button_a.is_pressed)
two = reader(pin11.read_digital, button_b.is_pressed)
try:
    import air

    two = air.read(one, two)
except ImportError:  # made without radio
    pass
buttons.read = one, two  # type: ignore[has-type]
