import java.util.Map;
import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.CommandsApi;
import org.openapitools.client.model.Command;
import org.openapitools.client.model.CommandAccepted;
import org.openapitools.client.model.CommandCreate;

/** Sends a command with a generated client and reads it back. */
final class SendCommand {
    public static void main(String[] arguments) throws ApiException {
        ApiClient client = new ApiClient();
        client.setBasePath(System.getenv("TOP_BASE_URL"));
        client.setHttpClient(client.getHttpClient().newBuilder()
                .addInterceptor(new SigningInterceptor(System.getenv("TOP_CLIENT_ID"), System.getenv("TOP_SECRET")))
                .build());
        CommandsApi commands = new CommandsApi(client);

        CommandCreate reboot = new CommandCreate()
                .vendor("vendor_a")
                .deviceId("ok-1")
                .commandType("reboot")
                .payload(Map.of())
                .idempotencyKey(UUID.randomUUID().toString());
        CommandAccepted accepted = commands.commandsCreate(reboot, null);
        Command command = commands.commandsGet(accepted.getCommandId(), 10, null, null);
        System.out.println(command.getCommandId() + " " + command.getStatus());
    }
}
