"""LLVM's sources as Debian has them: a part of the source package, fetched once (200 MB) and kept in ~/.cache/cyclops; and
how LLVM's tests are run."""
import hashlib
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import urllib.error
import urllib.request


def skip(why):
    print(f"{os.path.basename(sys.argv[0])}: {why}", file=sys.stderr)
    sys.exit(77)


def apt(scratch, *arguments):
    """apt-get with source packages and a state of its own: the system's settings stay as they are."""
    command = ["apt-get", "-qq", "-o", f"Dir::State={scratch}", "-o", f"Dir::Cache={scratch}",
               "-o", "Dir::State::status=/var/lib/dpkg/status", "-o", f"Dir::Etc::SourceList={scratch}/sources.list",
               "-o", "Dir::Etc::SourceParts=/dev/null", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        skip(f"apt-get fails: {done.stderr.strip().splitlines()[-1]}")
    return done.stdout


def list_archives():
    """Site, release and component of each of Debian's archives that this machine's apt is configured for."""
    try:
        targets = subprocess.run(["apt-get", "indextargets", "--format", "$(SITE) $(RELEASE) $(COMPONENT)",
                                  "Created-By: Packages"], capture_output=True, text=True).stdout
    except FileNotFoundError:
        skip("there is no apt-get here; give the sources with --source")
    archives = sorted({tuple(line.split()) for line in targets.splitlines()})
    return [archive for archive in archives if "debian" in archive[0]]


def find_source(version):
    """Address, name and SHA256 of the sources, as Debian's index has them."""
    archives = list_archives()
    with tempfile.TemporaryDirectory() as scratch:
        os.makedirs(f"{scratch}/lists/partial")
        with open(f"{scratch}/sources.list", "w") as file:
            for site, release, component in archives:
                file.write(f"deb-src {site} {release} {component}\n")
        apt(scratch, "update")
        listed = apt(scratch, "source", "--print-uris", f"llvm-toolchain-{version}")
    for line in listed.splitlines():
        match = re.fullmatch(r"'(\S+)' (\S+\.orig\.tar\.\S+) \d+ SHA256:(\S+)", line)
        if match:
            return match.groups()
    skip(f"no archive of apt's has the source package llvm-toolchain-{version}")


def download(addresses, path, checksum):
    for address in addresses:
        digest = hashlib.sha256()
        try:
            with urllib.request.urlopen(address, timeout=60) as page, open(path + ".part", "wb") as file:
                for piece in iter(lambda: page.read(1 << 20), b""):
                    digest.update(piece)
                    file.write(piece)
        except (urllib.error.URLError, OSError) as error:
            print(f"{address}: {error}", file=sys.stderr)
            continue
        if digest.hexdigest() == checksum:
            os.rename(path + ".part", path)
            return
        print(f"{address}: its checksum is not the one in the index", file=sys.stderr)
    skip("the sources cannot be fetched; give them with --source")


def unpack(tarball, folder, inside):
    """The files of that folder of the sources alone."""
    print(f"Unpacking {inside} of {tarball}", file=sys.stderr)
    fresh = tempfile.mkdtemp(dir=os.path.dirname(folder))
    with tarfile.open(tarball) as archive:
        for member in archive:
            _, _, path = member.name.partition("/")
            if path.startswith(inside + "/") and member.isfile():
                member.name = path[len(inside) + 1:]
                archive.extract(member, fresh)
    os.rename(fresh, folder)


def fetch(version, tarball, inside, name):
    """The folder `inside` of the sources, as a folder of the cache whose name ends so. `tarball`: where they are; None:
    they are fetched."""
    cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "cyclops")
    os.makedirs(cache, exist_ok=True)
    address, checksum = None, None
    if not tarball:
        address, package, checksum = find_source(version)
        tarball = os.path.join(cache, package)
    folder = os.path.join(cache, re.sub(r"\.orig\.tar\..*", f"-{name}", os.path.basename(tarball)))
    if not os.path.isdir(folder):
        if address and not os.path.exists(tarball):
            print(f"Fetching {address}", file=sys.stderr)
            # The security archive drops source files now and then; the main one has them for its next release.
            place = f"pool/main/l/llvm-toolchain-{version}/{os.path.basename(tarball)}"
            others = sorted({f"{site.rstrip('/')}/{place}" for site, _, _ in list_archives()} - {address})
            download([address, *others], tarball, checksum)
        unpack(tarball, folder, inside)
    return folder


def run_lines(path):
    """As lit reads them: a line that ends with a backslash goes on in the next."""
    lines, pending = [], ""
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            match = re.search(r"RUN:(.*)", line)
            if not match:
                continue
            pending += " " + match.group(1).strip()
            if pending.endswith("\\"):
                pending = pending[:-1]
                continue
            lines.append(pending.strip())
            pending = ""
    return lines
