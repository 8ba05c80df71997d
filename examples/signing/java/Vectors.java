import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.HexFormat;

/** Signs the requests of standard input. */
final class Vectors {
    public static void main(String[] parameters) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] f = line.split("\t", -1);
            byte[] body = HexFormat.of().parseHex(f[6]);
            System.out.println(Signing.signature(f[0], f[1], f[2], f[3], f[4], f[5], body));
        }
    }
}
