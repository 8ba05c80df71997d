import java.io.IOException;
import java.time.Instant;
import java.util.UUID;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;
import okio.Buffer;

/**
 * Signs what OkHttp sends, so also what a client of openapi-generator sends. If the key of a command belongs to another
 * one, the call fails.
 */
final class SigningInterceptor implements Interceptor {
    private final String clientId;
    private final String secret;

    SigningInterceptor(String clientId, String secret) {
        this.clientId = clientId;
        this.secret = secret;
    }

    @Override
    public Response intercept(Chain chain) throws IOException {
        Request request = chain.request();
        Buffer body = new Buffer();
        if (request.body() != null) request.body().writeTo(body);
        HttpUrl url = request.url();
        String target = url.encodedPath() + (url.encodedQuery() == null ? "" : "?" + url.encodedQuery());
        String timestamp = String.valueOf(Instant.now().getEpochSecond());
        String nonce = UUID.randomUUID().toString();
        String signature = Signing.signature(
                secret, clientId, request.method(), target, timestamp, nonce, body.readByteArray());
        Response answer = chain.proceed(request.newBuilder()
                .header("X-Api-Id", clientId)
                .header("X-Api-Timestamp", timestamp)
                .header("X-Api-Nonce", nonce)
                .header("X-Api-Signature", signature)
                .build());
        String mismatch = answer.header("Idempotency-Mismatch");
        if (mismatch == null) return answer;
        answer.close();
        throw new IOException("The key belongs to another command: " + mismatch + " differ.");
    }
}
