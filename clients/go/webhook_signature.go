package purser

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// DefaultTolerance is how far a delivery's time may be from the clock, either way.
const DefaultTolerance = 5 * time.Minute

const maxSignatureChars = 1024

var (
	timestampForm = regexp.MustCompile(`^[0-9]{1,16}$`)
	signatureForm = regexp.MustCompile(`^[0-9a-fA-F]{64}$`)
)

// WebhookVerificationError: the request is not a delivery to believe. Answer 400 and do nothing else.
type WebhookVerificationError struct {
	// Reason is missing-header, malformed-signature, wrong-signature, outside-tolerance or not-an-event.
	Reason  string
	Message string
}

func (e *WebhookVerificationError) Error() string { return e.Reason + ": " + e.Message }

// Verifier tells genuine webhook deliveries from any other request.
type Verifier struct {
	// Secrets: several while one is being replaced by another.
	Secrets []string
	// Tolerance: default DefaultTolerance.
	Tolerance time.Duration
	// Now: default time.Now.
	Now func() time.Time
}

// VerifyWebhook returns the event of a genuine delivery: HMAC, age, and an event whose id is the signed one. The body is
// exactly as received.
func VerifyWebhook(header http.Header, body []byte, secrets ...string) (*Event, error) {
	return Verifier{Secrets: secrets}.Verify(header, body)
}

// Verify returns a *WebhookVerificationError for what is not to be believed, and ErrInvalid when there is no secret.
func (v Verifier) Verify(header http.Header, body []byte) (*Event, error) {
	if len(v.Secrets) == 0 {
		return nil, fmt.Errorf("%w: there is no secret", ErrInvalid)
	}
	deliveryID, err := single(header, "X-Service-Delivery")
	if err != nil {
		return nil, err
	}
	signature, err := single(header, "X-Service-Signature")
	if err != nil {
		return nil, err
	}
	timestamp, signatures := parseSignature(signature)
	if signatures == nil {
		return nil, &WebhookVerificationError{"malformed-signature", "X-Service-Signature is not t=…,v1=…"}
	}
	isSigned := false
	for _, secret := range v.Secrets {
		if secret == "" {
			return nil, fmt.Errorf("%w: a secret is empty", ErrInvalid)
		}
		mac := hmac.New(sha256.New, []byte(secret))
		fmt.Fprintf(mac, "%s.%s.", timestamp, deliveryID)
		mac.Write(body)
		for _, one := range signatures {
			isSigned = hmac.Equal(mac.Sum(nil), one) || isSigned
		}
	}
	if !isSigned {
		return nil, &WebhookVerificationError{"wrong-signature", "the signature is not by any of the secrets"}
	}
	// The age is judged after the signature: of a forged request nothing is believed.
	if err := v.judgeAge(timestamp); err != nil {
		return nil, err
	}
	var event Event
	if json.Unmarshal(body, &event) != nil || event.EventID != deliveryID || event.Type == "" {
		return nil, &WebhookVerificationError{"not-an-event", "the body has no type, or another eventId than the header"}
	}
	return &event, nil
}

func (v Verifier) judgeAge(timestamp string) error {
	now, tolerance := time.Now, DefaultTolerance
	if v.Now != nil {
		now = v.Now
	}
	if v.Tolerance != 0 {
		tolerance = v.Tolerance
	}
	signedAt, _ := strconv.ParseInt(timestamp, 10, 64)
	ageMs := now().UnixMilli() - signedAt
	if ageMs > tolerance.Milliseconds() || -ageMs > tolerance.Milliseconds() {
		message := fmt.Sprintf("it was signed %d ms ago, %d are allowed", ageMs, tolerance.Milliseconds())
		return &WebhookVerificationError{"outside-tolerance", message}
	}
	return nil
}

// single: a header that came twice is as good as none.
func single(header http.Header, name string) (string, error) {
	if values := header.Values(name); len(values) == 1 && values[0] != "" {
		return values[0], nil
	}
	return "", &WebhookVerificationError{"missing-header", name + " is missing, or there is more than one"}
}

// parseSignature leaves parts that a later version adds beside t and v1 alone.
func parseSignature(header string) (timestamp string, signatures [][]byte) {
	if len(header) > maxSignatureChars {
		return "", nil
	}
	times := 0
	for _, part := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "t":
			timestamp = value
			times++
		case "v1":
			if !signatureForm.MatchString(value) {
				return "", nil
			}
			one, _ := hex.DecodeString(value)
			signatures = append(signatures, one)
		}
	}
	if times != 1 || !timestampForm.MatchString(timestamp) {
		return "", nil
	}
	return timestamp, signatures
}
