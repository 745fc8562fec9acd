"""What llvm-mca and `cyclops mca` print, in a form that can be compared."""
import re


PLACE = r"(?:[^ ]*:\d+:\d+: )?"
MESSAGE = re.compile(r"cyclops: (?P<ours>error|warning|note): " + PLACE + r"(?P<our_text>.*)|" +
                     PLACE + r"(?P<theirs>error|warning|note): (?P<their_text>.*)|"
                     r"(?:\S*llvm-mca\S*: )(?P<refusal>.*)|(?P<ignored>.*) \(ignoring (?:processor|feature)\)")
OWN = "cyclops: note: no vsetvli before "  # llvm-mca does the same without a word


def messages(text):
    """Warnings and errors without the program's name and their places, which the programs write differently; source
    lines are left out. LLVM prints some errors without that word."""
    found = set()
    for line in text.splitlines():
        match = MESSAGE.match(line)
        if match and not line.startswith(OWN):
            kind = match["ours"] or match["theirs"] or "error"
            words = match["our_text"] or match["their_text"] or match["refusal"] or match["ignored"] or ""
            found.add(f"{kind}: {words}".replace("llvm-mca", "cyclops mca"))
    return found
