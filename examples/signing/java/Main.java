import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.util.HexFormat;
import java.util.UUID;

/** Sends a command. With the argument "vectors" it signs the requests of standard input instead. */
final class Main {
    public static void main(String[] parameters) throws Exception {
        if (parameters.length > 0) {
            BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] f = line.split("\t", -1);
                byte[] body = HexFormat.of().parseHex(f[6]);
                System.out.println(Signing.signature(f[0], f[1], f[2], f[3], f[4], f[5], body));
            }
            return;
        }
        String command = "{\"vendor\":\"vendor_a\",\"device_id\":\"ok-1\",\"command_type\":\"reboot\",\"payload\":{},"
                + "\"idempotency_key\":\"" + UUID.randomUUID() + "\"}";
        HttpResponse<String> answer = HttpClient.newHttpClient().send(
                Signing.request(System.getenv("TOP_BASE_URL"), System.getenv("TOP_CLIENT_ID"), System.getenv("TOP_SECRET"),
                        "POST", "/api/v1/open/downlink/commands", command.getBytes("UTF-8")),
                HttpResponse.BodyHandlers.ofString());
        (answer.statusCode() == 202 ? System.out : System.err).println(answer.body());
        System.exit(answer.statusCode() == 202 ? 0 : 1);
    }
}
