package purser

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
)

// PurchaseRequest is what to buy. ExpectedPriceUsdt is the total for the whole quantity.
type PurchaseRequest struct {
	ProductID         int64      `json:"productId"`
	Quantity          int64      `json:"quantity,omitempty"`
	ExpectedPriceUsdt Decimal    `json:"expectedPriceUsdt"`
	Recipient         *Recipient `json:"recipient,omitempty"`
}

type Recipient struct {
	Username string `json:"username"`
}

// keyForm is visible ASCII, with blanks only inside, where HTTP leaves them as they are.
var keyForm = regexp.MustCompile(`^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$`)

// Purchase is a purchase before, while and after it is sent. Making one sends nothing, so its key can be stored first.
type Purchase struct {
	// IdempotencyKey: store it before you send, unless the client has a store.
	IdempotencyKey string

	client    *Client
	body      string
	isCharged Charged
}

// Request is what will be sent.
func (p *Purchase) Request() (PurchaseRequest, error) {
	var request PurchaseRequest
	err := json.Unmarshal([]byte(p.body), &request)
	return request, err
}

// Send stores the purchase, then sends it, again if it must, always with the same key and bytes.
//
// It may be called again: a purchase that happened is answered with its order, and nothing is charged for it. What may
// have been charged stays in the store until Done.
func (p *Purchase) Send(ctx context.Context) (*Order, error) {
	if p.client.store != nil {
		if err := p.client.store.Save(StoredPurchase{p.IdempotencyKey, p.body}); err != nil {
			return nil, err
		}
	}
	var order Order
	err := p.client.caller.json(ctx, apiRequest{
		method:         "POST",
		path:           "/orders",
		headers:        map[string]string{"Idempotency-Key": p.IdempotencyKey, "Content-Type": "application/json"},
		body:           []byte(p.body),
		timeout:        p.client.purchaseTimeout,
		idempotencyKey: p.IdempotencyKey,
		isCharged:      p.isCharged,
	}, &order)
	if err == nil {
		return &order, nil
	}
	var failure *Error
	if errors.As(err, &failure) {
		p.isCharged = failure.IsCharged
		if failure.IsCharged == NotCharged {
			if err := p.Done(); err != nil {
				return nil, err
			}
		}
	}
	return nil, err
}

// Done: you have what you bought, and the store may forget it. Without a store it does nothing.
func (p *Purchase) Done() error {
	if p.client.store == nil {
		return nil
	}
	return p.client.store.Remove(p.IdempotencyKey)
}

// newKey is a random UUID.
func newKey() (string, error) {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", err
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]), nil
}
