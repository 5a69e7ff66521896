# Sourced by the other scripts: finds the package and makes sure that its dependencies are
# installed.

package_directory="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

fail() {
    echo "error: $*" >&2
    exit 1
}

# The traits of this package that every script builds with. Others would compile all of it anew.
package_traits=Runner

# Runs `swift build` or `swift test` for the package in a folder.
#
#   package_swift COMMAND FOLDER [arguments ...]
package_swift() {
    local command="$1" folder="$2" options=()
    shift 2
    if [ "$folder" = "$package_directory" ]; then
        options=(--traits "$package_traits")
    elif [ "$folder" = "$package_directory/Examples" ]; then
        # In the build folder of this package and with its traits, so that what was built for its
        # tests is not compiled again.
        export REALM_EXAMPLES_TRAITS="$package_traits"
        options=(--manifest-cache none --scratch-path "$package_directory/.build")
    elif [ "$folder" = "$package_directory/Studio" ]; then
        # Beside 'realm', which starts it, and with what is compiled of the library already.
        options=(--manifest-cache none --scratch-path "$package_directory/.build")
    else
        # Packages inside this one say in their manifests which of its traits they need. That of the
        # peers reads what their folders say, which a cached manifest would not see.
        options=(--manifest-cache none)
    fi
    swift "$command" --package-path "$folder" "${options[@]}" "$@"
}

# Installs missing Debian packages without asking.
ensure_packages() {
    local missing=()
    local name
    for name in "$@"; do
        if ! dpkg-query --show --showformat='${Status}' "$name" 2>/dev/null \
            | grep -q 'install ok installed'; then
            missing+=("$name")
        fi
    done
    if [ "${#missing[@]}" -eq 0 ]; then
        return
    fi
    if [ "$(id -u)" -ne 0 ]; then
        fail "${missing[*]} is missing, and installing it takes root. Run once:
    sudo apt-get update && sudo apt-get install --yes ${missing[*]}"
    fi
    echo "Installing ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update --quiet --quiet
    apt-get install --yes --quiet --quiet --no-install-recommends "${missing[@]}"
}

ensure_toolchain() {
    if ! command -v swift >/dev/null; then
        fail "swift was not found. Install Swift 6.1 or later from https://www.swift.org/install/linux"
    fi
    command -v dpkg-query >/dev/null \
        || fail "This script installs packages of Debian or Ubuntu. Elsewhere install the
development files of OpenSSL and jemalloc by hand, and call 'swift build --traits Runner' and
'swift test --traits Runner' directly."
    # That of SQLite is for `realm import`, which loads it.
    ensure_packages libssl-dev libjemalloc-dev libsqlite3-0
}

# Prints the values of a list in the descriptions of the peers, each once.
peer_values() {
    sed -n 's/.*"'"$1"'": \[\(.*\)\].*/\1/p' \
        "$package_directory"/Benchmarks/Peers/Sources/PeerEngines/*/engine.json \
        | tr -d '" ' | tr ',' '\n' | sort -u
}

# Installs the libraries of the databases that are compared with the embedded one.
ensure_peers() {
    local packages
    packages="$(peer_values packages)"
    [ -n "$packages" ] || fail "no folder of Benchmarks/Peers/Sources/PeerEngines names a package"
    # shellcheck disable=SC2086
    ensure_packages $packages
    ensure_python_peers
}

# Installs those that come as packages of Python, for the Python of the distribution, whose shared
# library they are loaded with. Without a network they are left out.
ensure_python_peers() {
    local environment="$package_directory/Benchmarks/Peers/.venv" python=/usr/bin/python3 packages
    packages="$(peer_values python_packages)"
    ensure_packages "$("$python" -c 'import sys; print("libpython%d.%d" % sys.version_info[:2])')"
    [ -x "$environment/bin/pip" ] || "$python" -m venv "$environment"
    # shellcheck disable=SC2086
    "$environment/bin/pip" --disable-pip-version-check install --quiet $packages \
        || echo "warning: $packages could not be installed and is left out" >&2
}

# Installs the browser of the distribution, and what drives it in tests.
ensure_browser() {
    local environment="$package_directory/Studio/.venv" python=/usr/bin/python3
    ensure_packages chromium fonts-dejavu-core python3-venv
    [ -x "$environment/bin/pip" ] || "$python" -m venv "$environment"
    "$environment/bin/pip" --disable-pip-version-check install --quiet \
        --requirement "$package_directory/Studio/Tests/browser/requirements.txt"
}
