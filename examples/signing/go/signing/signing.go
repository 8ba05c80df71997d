// Package signing signs the requests of any http.Client.
package signing

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Signature returns the value of X-Api-Signature.
func Signature(secret, clientID, method, target, timestamp, nonce string, body []byte) string {
	bodyHash := sha256.Sum256(body)
	lines := []string{"HMAC-SHA256-V1", method, target, clientID, timestamp, nonce, hex.EncodeToString(bodyHash[:])}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(strings.Join(lines, "\n")))
	return "v1=" + hex.EncodeToString(mac.Sum(nil))
}

// Transport signs each request and sends it with http.DefaultTransport. If the key of a command belongs to another one,
// the result is an error.
type Transport struct{ ClientID, Secret string }

func (t Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	signed := request.Clone(request.Context())
	body := []byte{}
	if request.Body != nil {
		var err error
		if body, err = io.ReadAll(request.Body); err != nil {
			return nil, err
		}
		request.Body.Close()
		signed.Body = io.NopCloser(bytes.NewReader(body))
	}
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return nil, err
	}
	nonce, timestamp := hex.EncodeToString(random), strconv.FormatInt(time.Now().Unix(), 10)
	target := request.URL.RequestURI()
	signed.Header.Set("X-Api-Id", t.ClientID)
	signed.Header.Set("X-Api-Timestamp", timestamp)
	signed.Header.Set("X-Api-Nonce", nonce)
	signed.Header.Set("X-Api-Signature", Signature(t.Secret, t.ClientID, request.Method, target, timestamp, nonce, body))
	answer, err := http.DefaultTransport.RoundTrip(signed)
	if err != nil {
		return nil, err
	}
	if mismatch := answer.Header.Get("Idempotency-Mismatch"); mismatch != "" {
		answer.Body.Close()
		return nil, fmt.Errorf("the key belongs to another command: %s differ", mismatch)
	}
	return answer, nil
}
