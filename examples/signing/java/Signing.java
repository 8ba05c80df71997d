import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.HexFormat;
import java.util.UUID;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signs requests with the JDK alone, from Java 17 on. */
final class Signing {
    /** The value of X-Api-Signature. */
    static String signature(
            String secret, String clientId, String method, String target, String timestamp, String nonce, byte[] body) {
        try {
            String bodyHash = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body));
            String text = String.join("\n", "HMAC-SHA256-V1", method, target, clientId, timestamp, nonce, bodyHash);
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.US_ASCII), "HmacSHA256"));
            return "v1=" + HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.US_ASCII)));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** A request of java.net.http, signed. Without a body, pass an empty array. */
    static HttpRequest request(String baseUrl, String clientId, String secret, String method, String target, byte[] body) {
        String timestamp = String.valueOf(Instant.now().getEpochSecond());
        String nonce = UUID.randomUUID().toString();
        return HttpRequest.newBuilder(URI.create(baseUrl + target))
                .method(method, HttpRequest.BodyPublishers.ofByteArray(body))
                .header("Content-Type", "application/json")
                .header("X-Api-Id", clientId)
                .header("X-Api-Timestamp", timestamp)
                .header("X-Api-Nonce", nonce)
                .header("X-Api-Signature", signature(secret, clientId, method, target, timestamp, nonce, body))
                .build();
    }
}
