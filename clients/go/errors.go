package purser

import (
	"errors"
	"fmt"
)

// ErrInvalid is what cannot work at all, such as a malformed key: nothing was sent.
var ErrInvalid = errors.New("purser: invalid argument")

// Charged says what is known of the money of a purchase that failed.
type Charged string

const (
	// NotCharged is a promise.
	NotCharged Charged = "no"
	// Unknown means: send the same purchase with the same key to learn it.
	Unknown Charged = "unknown"
)

// Error is the API's own refusal, or a failure on the way to it. Branch on Code, and let later codes pass.
//
// The client's own codes: NETWORK_ERROR (no answer, or one that broke off), TIMEOUT, BAD_RESPONSE (an answer that isn't
// this API's), REDIRECTED (never followed), ABORTED (your context), STILL_PENDING (of WaitForOrder).
type Error struct {
	Code    string
	Message string
	// Status is 0 when there was no answer.
	Status int
	// RequestID is to be quoted to the operator.
	RequestID         string
	RetryAfterSeconds int
	// CurrentPriceUsdt is the current total, with PRICE_CHANGED.
	CurrentPriceUsdt Decimal
	// IdempotencyKey is that of the purchase that failed; empty for any other call.
	IdempotencyKey string
	IsCharged      Charged
	// Attempts is how many requests this call has sent.
	Attempts int

	namesLeader bool
	leaderURL   string
	cause       error
}

func (e *Error) Error() string {
	if e.RequestID == "" {
		return fmt.Sprintf("%s: %s", e.Code, e.Message)
	}
	return fmt.Sprintf("%s: %s (requestId %s)", e.Code, e.Message, e.RequestID)
}

func (e *Error) Unwrap() error { return e.cause }

type policy struct {
	isRetried bool
	charge    charge
}

type charge int

const (
	unknown charge = iota
	// none: nothing was charged under the key.
	none
	// notNow: nothing was charged by this request.
	notNow
)

var policies = map[string]policy{
	"BAD_REQUEST":               {false, notNow},
	"UNAUTHORIZED":              {false, notNow},
	"INSUFFICIENT_BALANCE":      {false, none},
	"FORBIDDEN":                 {false, notNow},
	"NOT_FOUND":                 {false, notNow},
	"PRICE_CHANGED":             {false, none},
	"OUT_OF_STOCK":              {false, none},
	"IDEMPOTENCY_CONFLICT":      {false, unknown},
	"IDEMPOTENCY_UNRESOLVED":    {false, none},
	"DELIVERY_NOT_READY":        {false, notNow},
	"WEBHOOK_SECRET_UNREADABLE": {false, notNow},
	"EVENTS_GONE":               {false, notNow},
	"RATE_LIMITED":              {true, notNow},
	"INTERNAL_ERROR":            {true, unknown},
	"PURCHASE_FAILED":           {true, none},
	"PROVIDER_TIMEOUT":          {false, none},
	"DELIVERY_UNAVAILABLE":      {true, notNow},
	"SALES_CLOSED":              {true, none},
	"NOT_LEADING":               {true, unknown},
	"NETWORK_ERROR":             {true, unknown},
	"TIMEOUT":                   {true, unknown},
	"REDIRECTED":                {false, unknown},
	"ABORTED":                   {false, unknown},
	"STILL_PENDING":             {false, notNow},
}

// policyOf: BAD_RESPONSE and codes of a later server go by their status; a proxy's 502 is like a broken connection.
func policyOf(e *Error) policy {
	if known, isKnown := policies[e.Code]; isKnown {
		return known
	}
	if e.Status == 429 {
		return policies["RATE_LIMITED"]
	}
	return policy{isRetried: e.Status >= 500 || e.Status >= 200 && e.Status < 300, charge: unknown}
}

// isAnotherAsked says whether the next address is asked at once: here is no node that leads, or nothing that is Purser.
func isAnotherAsked(e *Error) bool {
	if e.Code == "NOT_LEADING" || e.Status == 503 && e.namesLeader {
		return true
	}
	isForeign := e.Code == "NETWORK_ERROR" || e.Code == "TIMEOUT" || e.Code == "BAD_RESPONSE"
	return isForeign && e.Status != 429 && policyOf(e).isRetried
}

// chargedAfter is the verdict after an attempt: the one before it, and the answers since.
func chargedAfter(before Charged, failures []*Error) Charged {
	for _, failure := range failures {
		switch policyOf(failure).charge {
		case none:
			before = NotCharged
		case unknown:
			before = Unknown
		}
	}
	return before
}
