import java.util.UUID
import okhttp3.OkHttpClient
import org.openapitools.client.apis.CommandsApi
import org.openapitools.client.models.CommandCreate

/** Sends a command with a generated client and reads it back. */
fun main() {
    val signing = SigningInterceptor(System.getenv("TOP_CLIENT_ID"), System.getenv("TOP_SECRET"))
    val http = OkHttpClient.Builder().addInterceptor(signing).build()
    val commands = CommandsApi(System.getenv("TOP_BASE_URL"), http)

    val reboot = CommandCreate("vendor_a", "ok-1", "reboot", emptyMap(), UUID.randomUUID().toString())
    val accepted = commands.commandsCreate(reboot)
    val command = commands.commandsGet(accepted.commandId, waitSeconds = 10)
    println("${command.commandId} ${command.status}")
}
