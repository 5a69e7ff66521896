import Foundation

/// The properties that must be equal for counted metrics to be comparable.
struct CountedKey: Codable, Hashable, Sendable, CustomStringConvertible {
    var architecture: String
    var pageSizeBytes: Int
    var swift: String
    /// The build configuration, `release` or `debug`.
    var configuration: String

    var description: String {
        "\(architecture), pages of \(pageSizeBytes) bytes, Swift \(swift), \(configuration)"
    }

    /// The name of the folder with the baselines of this key.
    var folderName: String {
        MachineKeyName.plain("\(architecture)-\(pageSizeBytes)-swift-\(swift)-\(configuration)")
    }

    static var current: CountedKey {
        let machine = RunReport.Machine()
        let toolchain = RunReport.Toolchain()
        return CountedKey(
            architecture: machine.architecture, pageSizeBytes: machine.pageSizeBytes,
            swift: toolchain.swift, configuration: toolchain.configuration)
    }
}

/// The properties that must be equal for times to be comparable as well.
struct TimedKey: Codable, Hashable, Sendable, CustomStringConvertible {
    var counted: CountedKey
    var processor: String
    var cores: Int
    /// The type of the file system; its mount point does not matter.
    var fileSystem: String

    var description: String { "\(counted), \(processor), \(cores) cores, \(fileSystem)" }

    var folderName: String {
        counted.folderName + "-" + MachineKeyName.plain("\(processor)-\(cores)-\(fileSystem)")
    }

    /// Returns the key of this machine; `path` is a folder on the disk that is measured.
    static func current(path: String) -> TimedKey {
        let machine = RunReport.Machine()
        return TimedKey(
            counted: .current, processor: machine.processor ?? "unknown processor",
            cores: machine.cores,
            fileSystem: MachineKeyName.fileSystemType(RunReport.Machine.fileSystem(of: path)))
    }
}

extension RunFolder {
    /// The key of the machine and the build that ran.
    var key: TimedKey {
        TimedKey(
            counted: CountedKey(
                architecture: header.machine.architecture,
                pageSizeBytes: header.machine.pageSizeBytes, swift: header.toolchain.swift,
                configuration: header.toolchain.configuration),
            processor: header.machine.processor ?? "unknown processor",
            cores: header.machine.cores,
            fileSystem: MachineKeyName.fileSystemType(header.machine.fileSystem))
    }
}

enum MachineKeyName {
    /// Returns `text` in lower case with every other character than letters, digits, `.` and `_`
    /// replaced by single dashes.
    static func plain(_ text: String) -> String {
        let allowed = text.lowercased().map { character in
            character.isASCII && (character.isLetter || character.isNumber || character == ".")
                || character == "_" ? character : "-"
        }
        return String(allowed).split(separator: "-").joined(separator: "-")
    }

    /// Returns `ext4` for the text `ext4 at /mount/point`, the form that a run's report has.
    static func fileSystemType(_ text: String?) -> String {
        text?.split(separator: " ").first.map(String.init) ?? "unknown file system"
    }
}
