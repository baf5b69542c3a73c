package purser

import (
	"context"
	"encoding/json"
	"errors"
)

var jsonHeaders = map[string]string{"Content-Type": "application/json"}

// WebhookCalls are about the account's one webhook.
type WebhookCalls struct{ caller *caller }

// WebhookRequest says which events to send, and where.
type WebhookRequest struct {
	URL                  string   `json:"url"`
	Events               []string `json:"events"`
	BalanceThresholdUsdt *Decimal `json:"balanceThresholdUsdt,omitempty"`
}

type webhookAnswer struct {
	Webhook Webhook `json:"webhook"`
}

// Get answers NOT_FOUND when there is none.
func (w WebhookCalls) Get(ctx context.Context) (*Webhook, error) {
	var body webhookAnswer
	err := w.caller.json(ctx, apiRequest{method: "GET", path: "/webhook"}, &body)
	return &body.Webhook, err
}

// Set replaces it. The secret in the answer is shown this once; the one before no longer signs anything.
func (w WebhookCalls) Set(ctx context.Context, request WebhookRequest) (*Webhook, error) {
	text, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	var body webhookAnswer
	err = w.caller.json(ctx, apiRequest{method: "POST", path: "/webhook", headers: jsonHeaders, body: text}, &body)
	return &body.Webhook, err
}

// Delete also cancels what is waiting to be delivered. NOT_FOUND when there is none.
func (w WebhookCalls) Delete(ctx context.Context) error {
	var body struct{}
	request := apiRequest{method: "DELETE", path: "/webhook", headers: jsonHeaders, body: []byte(`{"confirm":true}`)}
	err := w.caller.json(ctx, request, &body)
	var failure *Error
	if errors.As(err, &failure) && failure.Code == "NOT_FOUND" && failure.Attempts > 1 {
		// It was an earlier attempt that deleted it, and its answer that got lost.
		return nil
	}
	return err
}
