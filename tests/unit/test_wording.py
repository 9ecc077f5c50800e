from imoca.wording import bound_words, labelled, with_unit


def test_a_label_is_the_name_and_its_unit_if_there_is_one() -> None:
    assert labelled("mass", "kg") == "mass [kg]"
    assert labelled("mass", None) == "mass"


def test_an_amount_is_followed_by_its_unit_if_there_is_one() -> None:
    assert with_unit("1.2", "kg") == "1.2 kg"
    assert with_unit("1.2", None) == "1.2"


def test_bounds_say_their_unit_once_and_no_bounds_say_nothing() -> None:
    assert bound_words(2.0, 5.0, "mm") == "at least 2 and at most 5 mm"
    assert bound_words(None, 240.0) == "at most 240"
    assert bound_words(None, None, "mm") == ""
