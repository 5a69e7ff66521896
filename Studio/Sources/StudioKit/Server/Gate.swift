import HTTPTypes
import Hummingbird
import Synchronization

/// Lets requests of the page in, and no others.
///
/// 1. The server listens on 127.0.0.1 only.
/// 2. `Host` names this address: another name that leads here belongs to a page of a stranger.
/// 3. `Origin` and `Sec-Fetch-Site`, where a browser sends them, are those of the page itself.
/// 4. A cookie has the token. It is set for who opens the address with the token, which only the
///    terminal has shown, and is sent by pages of this address only.
final class Gate: RouterMiddleware {
    typealias Context = StudioContext

    /// 256 random bits.
    let token: String
    /// The port, once the server listens.
    private let port = Mutex<Int?>(nil)

    private static let tokenBytes = 32

    init() {
        var generator = SystemRandomNumberGenerator()
        token = (0..<Self.tokenBytes)
            .map { _ in
                let byte = UInt8.random(in: 0 ... .max, using: &generator)
                return (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
            .joined()
    }

    func listens(on number: Int) { port.withLock { $0 = number } }

    func handle(
        _ request: Request, context: StudioContext,
        next: (Request, StudioContext) async throws -> Response
    ) async throws -> Response {
        guard let port = port.withLock({ $0 }) else { return Self.refusal(.serviceUnavailable) }
        let hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
        guard let host = request.head.authority, hosts.contains(host) else {
            return Self.refusal(.misdirectedRequest)
        }
        guard isOfPage(request, host: host) else { return Self.refusal(.forbidden) }
        let cookie = "realm-studio-\(port)"
        if request.uri.path == "/", let given = request.uri.queryParameters["token"] {
            guard isToken(given) else { return Self.refusal(.forbidden) }
            // The address without the token is what stays in the history.
            return Response(
                status: .seeOther,
                headers: [
                    .location: "/", .cacheControl: "no-store",
                    .setCookie: "\(cookie)=\(token); Path=/; HttpOnly; SameSite=Strict",
                ])
        }
        guard let given = request.cookies[cookie]?.value, isToken(given[...]) else {
            return Self.refusal(.forbidden)
        }
        var response = try await next(request, context)
        for (name, value) in Self.headers where response.headers[name] == nil {
            response.headers[name] = value
        }
        return response
    }

    private func isOfPage(_ request: Request, host: String) -> Bool {
        let origin = request.headers[.origin]
        if let origin, origin != "http://\(host)" { return false }
        if let site = request.headers[.fetchSite], site != "same-origin", site != "none" {
            return false
        }
        switch request.method {
        case .get: return true
        case .post: return origin != nil
        default: return false
        }
    }

    /// Compares all characters, so that the time does not tell how many are right.
    private func isToken(_ text: Substring) -> Bool {
        let (given, right) = (Array(text.utf8), Array(token.utf8))
        guard given.count == right.count else { return false }
        return zip(given, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func refusal(_ status: HTTPResponse.Status) -> Response {
        Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8"],
            body: .init(
                byteBuffer: .init(
                    string: "Open the address with the token that 'realm studio' has printed.\n")))
    }

    /// Strings of a file are never markup; this is for the case that one becomes it by mistake.
    private static let headers: [(HTTPField.Name, String)] = [
        (
            .contentSecurityPolicy,
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
                + "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; "
                + "frame-ancestors 'none'"
        ),
        (.contentTypeOptions, "nosniff"), (.referrerPolicy, "no-referrer"),
        (.resourcePolicy, "same-origin"), (.cacheControl, "no-store"),
    ]
}

extension HTTPField.Name {
    fileprivate static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!
    fileprivate static let contentTypeOptions = HTTPField.Name("X-Content-Type-Options")!
    fileprivate static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
    fileprivate static let resourcePolicy = HTTPField.Name("Cross-Origin-Resource-Policy")!
}
