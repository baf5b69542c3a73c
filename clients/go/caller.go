package purser

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// maxAnswerBytes is far more than the largest order or catalog, and less than would exhaust a small machine.
const maxAnswerBytes = 256 << 20

// caller makes one call of the API: the same request, byte for byte, until it is answered or it makes no sense to go on.
//
// Always holds: a purchase keeps its key in every attempt; nothing is sent to another address than the base addresses. An
// attempt asks each address at most once, one after the other, and all in the time of one. Nothing trusts that it was
// Purser who answered: there may be proxies with pages of their own.
type caller struct {
	addresses     *addresses
	apiKey        string
	timeout       time.Duration
	maxAttempts   int
	maxRetryAfter time.Duration
	onRetry       func(RetryNotice)
	http          *http.Client
	timing        Timing
}

// RetryNotice: an attempt failed at all addresses that it asked, and another follows.
type RetryNotice struct {
	Method, Path string
	Delay        time.Duration
	Err          *Error
}

// apiRequest is the request of one call, the same in all attempts.
type apiRequest struct {
	method, path string
	headers      map[string]string
	body         []byte
	// isOpen: it needs no key, so that none is sent.
	isOpen  bool
	timeout time.Duration
	// idempotencyKey of a purchase, and the verdict before the first attempt.
	idempotencyKey string
	isCharged      Charged
}

// answer has a body that is still to be read, before cancel is called.
type answer struct {
	*http.Response
	cancel context.CancelFunc
	// timer ends what takes too long; it is running.
	timer *time.Timer
}

func (a *answer) close() {
	a.timer.Stop()
	a.cancel()
	a.Body.Close()
}

// json reads the body of the success into a value.
func (c *caller) json(ctx context.Context, request apiRequest, into any) error {
	return c.retrying(ctx, request, func(a *answer) *Error {
		defer a.close()
		text, failure := c.read(ctx, a)
		if failure != nil {
			return failure
		}
		var envelope struct {
			Success bool `json:"success"`
		}
		if json.Unmarshal(text, &envelope) != nil || !envelope.Success || unmarshal(text, into) != nil {
			return foreign(a, 0)
		}
		return nil
	})
}

// open returns the success before its body is read.
func (c *caller) open(ctx context.Context, request apiRequest) (*answer, error) {
	var opened *answer
	err := c.retrying(ctx, request, func(a *answer) *Error {
		opened = a
		return nil
	})
	return opened, err
}

func (c *caller) retrying(ctx context.Context, request apiRequest, receive func(*answer) *Error) error {
	attempts, isCharged := 0, request.isCharged
	if isCharged == "" {
		isCharged = NotCharged
	}
	for attempt := 1; ; attempt++ {
		var failures []*Error
		failure := aborted(ctx)
		if failure == nil {
			if failure, failures = c.attempt(ctx, request, receive); failure == nil {
				return nil
			}
		}
		attempts += len(failures)
		if request.idempotencyKey != "" {
			isCharged = chargedAfter(isCharged, failures)
		}
		failure.Attempts, failure.IsCharged, failure.IdempotencyKey = attempts, isCharged, request.idempotencyKey
		isLast := attempt >= c.maxAttempts || time.Duration(failure.RetryAfterSeconds)*time.Second > c.maxRetryAfter
		if isLast || !policyOf(failure).isRetried {
			return failure
		}
		delay := retryDelay(attempt, failure.RetryAfterSeconds, c.timing.Random())
		if c.onRetry != nil {
			c.onRetry(RetryNotice{request.method, request.path, delay, failure})
		}
		// A wait that ends early is told by the next round.
		_ = c.timing.Sleep(ctx, delay)
	}
}

// attempt asks the addresses, until one answers. The failures are what each of the others did.
func (c *caller) attempt(ctx context.Context, request apiRequest, receive func(*answer) *Error) (*Error, []*Error) {
	timeout := request.timeout
	if timeout == 0 {
		timeout = c.timeout
	}
	ends := time.Now().Add(timeout)
	asked := map[string]bool{}
	var failures []*Error
	for address := c.addresses.first(); ; {
		asked[address] = true
		opened, failure := c.ask(ctx, address, request, time.Until(ends))
		if failure == nil {
			failure = receive(opened)
		}
		if failure == nil {
			c.addresses.answered(address)
			return nil, nil
		}
		failures = append(failures, failure)
		if failure.Code == "ABORTED" {
			return failure, failures
		}
		if !isAnotherAsked(failure) {
			c.addresses.answered(address)
			return failure, failures
		}
		next := c.addresses.after(address, failure.leaderURL, asked)
		if next == "" || failure.Code == "TIMEOUT" {
			return failure, failures
		}
		address = next
	}
}

func (c *caller) ask(ctx context.Context, address string, request apiRequest, timeout time.Duration) (*answer, *Error) {
	own, cancel := context.WithCancel(ctx)
	sent, err := http.NewRequestWithContext(own, request.method, address+request.path, bytes.NewReader(request.body))
	if err != nil {
		cancel()
		return nil, failed(ctx, own, err)
	}
	for name, value := range request.headers {
		sent.Header.Set(name, value)
	}
	if !request.isOpen {
		sent.Header.Set("X-API-Key", c.apiKey)
	}
	timer := time.AfterFunc(timeout, cancel)
	response, err := c.http.Do(sent)
	if err != nil {
		timer.Stop()
		defer cancel()
		return nil, failed(ctx, own, err)
	}
	opened := &answer{response, cancel, timer}
	if response.StatusCode >= 200 && response.StatusCode < 300 {
		return opened, nil
	}
	defer opened.close()
	return nil, c.failureOf(ctx, opened)
}

func (c *caller) failureOf(ctx context.Context, a *answer) *Error {
	if a.StatusCode >= 300 && a.StatusCode < 400 {
		message := "the server redirects elsewhere; redirects are not followed, check the base address"
		return &Error{Code: "REDIRECTED", Message: message, Status: a.StatusCode}
	}
	retryAfter := c.secondsOf(a.Header.Get("Retry-After"))
	text, failure := c.read(ctx, a)
	if failure != nil {
		return failure
	}
	var body struct {
		Error, Message, RequestID string
		CurrentPriceUsdt          Decimal
		Leader                    json.RawMessage
	}
	if unmarshal(text, &body) != nil || body.Error == "" {
		return foreign(a, retryAfter)
	}
	var leader struct{ URL string }
	_ = json.Unmarshal(body.Leader, &leader)
	requestID := body.RequestID
	if requestID == "" {
		requestID = a.Header.Get("X-Request-Id")
	}
	return &Error{
		Code: body.Error, Message: body.Message, Status: a.StatusCode, RequestID: requestID,
		RetryAfterSeconds: retryAfter, CurrentPriceUsdt: body.CurrentPriceUsdt,
		namesLeader: body.Leader != nil, leaderURL: leader.URL,
	}
}

func (c *caller) read(ctx context.Context, a *answer) ([]byte, *Error) {
	text, err := io.ReadAll(io.LimitReader(a.Body, maxAnswerBytes))
	if err != nil {
		return nil, failed(ctx, a.Request.Context(), err)
	}
	return text, nil
}

// secondsOf is Retry-After as whole seconds from now, in either of its forms.
func (c *caller) secondsOf(retryAfter string) int {
	if seconds, err := strconv.ParseUint(retryAfter, 10, 30); err == nil {
		return int(seconds)
	}
	at, err := http.ParseTime(retryAfter)
	if err != nil {
		return 0
	}
	wait := at.Sub(c.timing.Now())
	if wait < 0 {
		return 0
	}
	return int((wait + time.Second - 1) / time.Second)
}

func foreign(a *answer, retryAfter int) *Error {
	message := fmt.Sprintf("HTTP %d without the API's JSON", a.StatusCode)
	requestID := a.Header.Get("X-Request-Id")
	return &Error{
		Code: "BAD_RESPONSE", Message: message, Status: a.StatusCode, RequestID: requestID, RetryAfterSeconds: retryAfter,
	}
}

// failed tells whose end it was: the program's context, the time limit's, or the network's.
func failed(ctx, own context.Context, err error) *Error {
	if failure := aborted(ctx); failure != nil {
		return failure
	}
	if own.Err() != nil || errors.Is(err, context.DeadlineExceeded) {
		return &Error{Code: "TIMEOUT", Message: "no complete answer in time", cause: err}
	}
	return &Error{Code: "NETWORK_ERROR", Message: "the connection failed or broke off", cause: err}
}

func aborted(ctx context.Context) *Error {
	if ctx.Err() == nil {
		return nil
	}
	return &Error{Code: "ABORTED", Message: "aborted by the caller", cause: ctx.Err()}
}
