# noughts: what only a V2 needs; a V1 never imports this.
import buttons, sound  # noqa: F401  # sound works by itself
from microbit import button_a, button_b


def reader(pin, button):
    # Gives 0 while a button is down. Some pins always read 0: pin 11 on firmware 2.0.0-beta.5, and
    # both in the simulator on python.microbit.org. Those, and buttons that are held now, use the
    # firmware's debounced button, which is slower.
    return pin if pin() else lambda: not button()


one, two = buttons.read  # type: ignore[has-type]
buttons.read = reader(one, button_a.is_pressed), reader(two, button_b.is_pressed)  # type: ignore[has-type]
try:
    import air  # noqa: F401  # it reads the buttons, too
except ImportError:  # made without radio
    pass
