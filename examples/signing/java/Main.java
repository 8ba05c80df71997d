import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.regex.Pattern;

/** Sends a command and waits for its outcome. */
final class Main {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    public static void main(String[] parameters) throws Exception {
        String commands = "/api/v1/open/downlink/commands";
        String reboot = "{\"vendor\":\"vendor_a\",\"device_id\":\"ok-1\",\"command_type\":\"reboot\",\"payload\":{},"
                + "\"idempotency_key\":\"" + UUID.randomUUID() + "\"}";
        String accepted = send("POST", commands, reboot);
        // The JDK does not read JSON. Usually a library such as Jackson or Gson does this.
        String commandId = Pattern.compile("\"command_id\":\"([^\"]+)\"").matcher(accepted)
                .results().findFirst().orElseThrow().group(1);
        System.out.println(send("GET", commands + "/" + commandId + "?wait_seconds=30", ""));
    }

    /** The body of the answer. A refusal ends the program. */
    private static String send(String method, String target, String body) throws Exception {
        HttpRequest request = Signing.request(
                System.getenv("TOP_BASE_URL"), System.getenv("TOP_CLIENT_ID"), System.getenv("TOP_SECRET"),
                method, target, body.getBytes(StandardCharsets.UTF_8));
        HttpResponse<String> answer = CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() >= 300) {
            System.err.println(answer.body());
            System.exit(1);
        }
        answer.headers().firstValue("Idempotency-Mismatch").ifPresent(mismatch -> {
            System.err.println("The key belongs to another command: " + mismatch + " differ.");
            System.exit(1);
        });
        return answer.body();
    }
}
