# An instance writes its own address in place of the empty text. A package from elsewhere has none, and its clients name a `url`.
URL = ""

VERSION = "0.1.0"
