import BenchmarkKit

/// Sensors and readings in byte-oriented engines. Numbers are little-endian.
enum PackedSensor {
    /// Packs a sensor: the number written and the checksum (8 bytes each), the lengths of
    /// identifier and city (4 each), identifier, city, parameter.
    static func pack(_ sensor: SensorDescription, into buffer: ByteBuffer) {
        buffer.removeAll()
        buffer.append(littleEndian: 0)
        buffer.append(littleEndian: 0)
        buffer.append(littleEndian: UInt32(sensor.identifier.utf8.count))
        buffer.append(littleEndian: UInt32(sensor.city.utf8.count))
        buffer.append(sensor.identifier)
        buffer.append(sensor.city)
        buffer.append(sensor.parameter)
    }

    /// Packs the same sensor with another account.
    static func pack(
        _ sensor: UnsafeRawBufferPointer, _ account: SensorAccount, into buffer: ByteBuffer
    ) {
        buffer.removeAll()
        buffer.append(littleEndian: account.written)
        buffer.append(littleEndian: account.checksum)
        buffer.append(UnsafeRawBufferPointer(rebasing: sensor[16...]))
    }

    static func account(_ sensor: UnsafeRawBufferPointer) -> SensorAccount {
        SensorAccount(
            written: sensor.littleEndian(Int.self, at: 0),
            checksum: sensor.littleEndian(Int.self, at: 8))
    }

    static func identifier(_ sensor: UnsafeRawBufferPointer) -> String {
        let length = Int(sensor.littleEndian(UInt32.self, at: 16))
        return String(decoding: sensor[24..<24 + length], as: UTF8.self)
    }

    /// Packs a reading: sequence number, time and value (8 bytes each), payload.
    static func pack(_ reading: ProducedReading, into buffer: ByteBuffer) {
        buffer.removeAll()
        buffer.append(littleEndian: reading.sequence)
        buffer.append(littleEndian: reading.time.bitPattern)
        buffer.append(littleEndian: reading.value.bitPattern)
        reading.payload.withUnsafeBytes { buffer.append($0) }
    }

    static func sequence(_ reading: UnsafeRawBufferPointer) -> Int {
        reading.littleEndian(Int.self, at: 0)
    }
}
