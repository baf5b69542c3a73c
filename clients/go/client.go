// Package purser is the buyer API for a program: every call returns the answer, or an error after as many attempts as make
// sense. On your servers only: the API key spends the wallet.
package purser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	defaultTimeout         = 15 * time.Second
	defaultPurchaseTimeout = 30 * time.Second
	defaultMaxAttempts     = 4
	defaultMaxRetryAfter   = 60 * time.Second
	defaultLimit           = 100
	defaultWait            = 20 * time.Second
	defaultMaxWait         = 10 * time.Minute
	defaultPoll            = 5 * time.Second
	shortestPoll           = time.Second
	biggestID              = 1<<53 - 1
)

var apiKeyForm = regexp.MustCompile(`^[\x21-\x7e]+$`)

// Options of a client. Times are for one attempt, at all addresses together.
type Options struct {
	// BaseURLs end with /api/v1/buyer; several, one of each node, for a shop that is a cluster.
	BaseURLs []string
	APIKey   string
	// Store keeps each purchase before it is sent.
	Store PurchaseStore
	// Timeout is 15 s by default, PurchaseTimeout 30 s: a supplier alone may take 15 s.
	Timeout, PurchaseTimeout time.Duration
	// MaxAttempts is 4 by default, with 1, 2 and 4 s between.
	MaxAttempts int
	// MaxRetryAfter: a server that asks for a longer wait gets none. Default 60 s.
	MaxRetryAfter time.Duration
	// OnRetry is for your log.
	OnRetry func(RetryNotice)
	// HTTPClient is for a proxy or certificates of your own. It must not follow redirects, or keep connections.
	HTTPClient *http.Client
	// Timing is for tests.
	Timing Timing
}

// Client is safe for use by many goroutines.
type Client struct {
	// Webhook is the account's webhook configuration.
	Webhook WebhookCalls

	caller          *caller
	purchaseTimeout time.Duration
	store           PurchaseStore
}

// New sends nothing. It returns ErrInvalid for what can't work.
func New(options Options) (*Client, error) {
	if !apiKeyForm.MatchString(options.APIKey) {
		// The message doesn't show it: messages end up in logs.
		return nil, fmt.Errorf("%w: APIKey is missing, or has characters that no API key has", ErrInvalid)
	}
	if len(options.BaseURLs) == 0 {
		return nil, fmt.Errorf("%w: there must be at least one base URL", ErrInvalid)
	}
	known := &addresses{}
	for _, address := range options.BaseURLs {
		parsed, err := url.Parse(address)
		isPlain := err == nil && parsed.User == nil && parsed.RawQuery == "" && parsed.Fragment == ""
		if !isPlain || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
			return nil, fmt.Errorf("%w: a base URL must be like https://shop.example/api/v1/buyer", ErrInvalid)
		}
		known.all = append(known.all, strings.TrimRight(address, "/"))
	}
	known.begin = known.all[0]
	client := options.HTTPClient
	if client == nil {
		client = defaultHTTPClient()
	}
	var timing Timing = realTiming{}
	if options.Timing != nil {
		timing = options.Timing
	}
	c := &caller{
		addresses:     known,
		apiKey:        options.APIKey,
		timeout:       or(options.Timeout, defaultTimeout),
		maxAttempts:   or(options.MaxAttempts, defaultMaxAttempts),
		maxRetryAfter: or(options.MaxRetryAfter, defaultMaxRetryAfter),
		onRetry:       options.OnRetry,
		http:          client,
		timing:        timing,
	}
	purchaseTimeout := or(options.PurchaseTimeout, defaultPurchaseTimeout)
	return &Client{WebhookCalls{c}, c, purchaseTimeout, options.Store}, nil
}

// defaultHTTPClient has a connection for each request: on one that is used again, Go sends a request twice by itself, and
// nobody learns of it.
func defaultHTTPClient() *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			Proxy:              http.ProxyFromEnvironment,
			DisableKeepAlives:  true,
			DisableCompression: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func or[T comparable](value, byDefault T) T {
	var zero T
	if value == zero {
		return byDefault
	}
	return value
}

// Health says whether the service answers; it sends no key.
func (c *Client) Health(ctx context.Context) (*Health, error) {
	var body Health
	err := c.caller.json(ctx, apiRequest{method: "GET", path: "/health", isOpen: true}, &body)
	return &body, err
}

// Products is everything on sale, or up to 100 products alone.
func (c *Client) Products(ctx context.Context, ids ...int64) (*Catalog, error) {
	path := "/products"
	for index, id := range ids {
		separator := ","
		if index == 0 {
			separator = "?ids="
		}
		path += separator + strconv.FormatInt(id, 10)
	}
	var body Catalog
	err := c.get(ctx, path, &body)
	return &body, err
}

func (c *Client) Balance(ctx context.Context) (*Balance, error) {
	var body Balance
	err := c.get(ctx, "/balance", &body)
	return &body, err
}

// Purchase makes a purchase with its key, not yet sent. Without a store: keep its key yourself before Send.
func (c *Client) Purchase(request PurchaseRequest) (*Purchase, error) {
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	purchase, err := c.PurchaseWithKey(request, key)
	if err == nil {
		purchase.isCharged = NotCharged
	}
	return purchase, err
}

// PurchaseWithKey finishes what an earlier run of the program began, with the key that it stored; or it is a key of your
// own, unique for each purchase you intend.
func (c *Client) PurchaseWithKey(request PurchaseRequest, idempotencyKey string) (*Purchase, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrInvalid, err)
	}
	if !keyForm.MatchString(idempotencyKey) {
		return nil, fmt.Errorf("%w: an idempotency key must be 1 to 128 visible ASCII characters", ErrInvalid)
	}
	// The key may have been sent before, by a run of the program that knew how it ended.
	return &Purchase{IdempotencyKey: idempotencyKey, client: c, body: string(body), isCharged: Unknown}, nil
}

// Unfinished are the purchases of the store that are not done: send each again, and call Done.
func (c *Client) Unfinished() ([]*Purchase, error) {
	if c.store == nil {
		return nil, nil
	}
	stored, err := c.store.Unfinished()
	var purchases []*Purchase
	for _, one := range stored {
		purchases = append(purchases, &Purchase{one.IdempotencyKey, c, one.Body, Unknown})
	}
	return purchases, err
}

func (c *Client) Order(ctx context.Context, orderID int64) (*Order, error) {
	path, err := orderPath(orderID, "")
	if err != nil {
		return nil, err
	}
	var body Order
	err = c.get(ctx, path, &body)
	return &body, err
}

// Receipt is a signed receipt of the order as it is now: keep it.
func (c *Client) Receipt(ctx context.Context, orderID int64) (*Receipt, error) {
	path, err := orderPath(orderID, "/receipt")
	if err != nil {
		return nil, err
	}
	var body Receipt
	err = c.get(ctx, path, &body)
	return &body, err
}

// WaitOptions: MaxWait is 10 minutes by default, Poll 5 s.
type WaitOptions struct{ MaxWait, Poll time.Duration }

// WaitForOrder returns once the order is completed, failed or refunded: look which. States of a later server count as not
// final. STILL_PENDING after MaxWait.
func (c *Client) WaitForOrder(ctx context.Context, orderID int64, options WaitOptions) (*Order, error) {
	timing := c.caller.timing
	ends := timing.Now().Add(or(options.MaxWait, defaultMaxWait))
	for {
		pause := or(options.Poll, defaultPoll)
		if pause < shortestPoll {
			pause = shortestPoll
		}
		order, err := c.Order(ctx, orderID)
		var failure *Error
		switch {
		case err == nil && (order.Status == "completed" || order.Status == "failed" || order.Status == "refunded"):
			return order, nil
		case err == nil:
			message := fmt.Sprintf("order %d is still %s", orderID, order.Status)
			err = &Error{Code: "STILL_PENDING", Message: message, RequestID: order.RequestID, IsCharged: NotCharged}
		case !errors.As(err, &failure) || !policyOf(failure).isRetried:
			return nil, err
		default:
			if asked := time.Duration(failure.RetryAfterSeconds) * time.Second; asked > pause {
				pause = asked
			}
		}
		if timing.Now().Add(pause).After(ends) {
			return nil, err
		}
		_ = timing.Sleep(ctx, pause)
	}
}

// Download is the file of a completed order for a file product.
func (c *Client) Download(ctx context.Context, orderID int64) (*Download, error) {
	path, err := orderPath(orderID, "/download")
	if err != nil {
		return nil, err
	}
	return openDownload(ctx, c.caller, path)
}

// Events are all events from a place on: for stream.Next() { … } never ends, unless it is told to.
func (c *Client) Events(ctx context.Context, options EventsOptions) *EventStream {
	options.Limit, options.Wait = or(options.Limit, defaultLimit), or(options.Wait, defaultWait)
	place := options.Place
	if place == nil {
		place = &memoryPlace{options.After}
	}
	return &EventStream{ctx: ctx, caller: c.caller, options: options, place: place}
}

func (c *Client) get(ctx context.Context, path string, into any) error {
	return c.caller.json(ctx, apiRequest{method: "GET", path: path}, into)
}

func orderPath(orderID int64, below string) (string, error) {
	if orderID < 1 || orderID > biggestID {
		return "", fmt.Errorf("%w: %d is not an order id", ErrInvalid, orderID)
	}
	return "/orders/" + strconv.FormatInt(orderID, 10) + below, nil
}
