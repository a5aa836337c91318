"""The cases that aren't differentiated yet; all others are, and are right."""

EXPECTED_REFUSED = {
    "views: reshape may be either",
    "views: as_strided",
    "views: three axes",
    "aliases: an array in a tuple",
    "objects: attributes made late",
}
