"""The cases that aren't differentiated yet; all others are, and are right."""

EXPECTED_REFUSED = {
    "views: as_strided",
    "aliases: an array in a tuple",
}
