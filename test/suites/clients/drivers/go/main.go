// The client for Go as a driver of the table of cases: reads commands, a line of JSON each, and writes replies.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"purser"
)

type fakeTiming struct {
	delaysMs []int64
	now      time.Time
}

func (t *fakeTiming) Now() time.Time  { return t.now }
func (t *fakeTiming) Random() float64 { return 0 }
func (t *fakeTiming) Sleep(_ context.Context, delay time.Duration) error {
	t.delaysMs = append(t.delaysMs, delay.Milliseconds())
	t.now = t.now.Add(delay)
	return nil
}

type command struct {
	Do          string
	BaseURLs    []string
	APIKey      string
	TimeoutMs   int64
	MaxAttempts int
	Store       string
	Place       string
	Request     struct {
		ProductID, Quantity int64
		ExpectedPriceUsdt   purser.Decimal `json:"-"`
		Price               string         `json:"expectedPriceUsdt"`
		Recipient           *purser.Recipient
	}
	IdempotencyKey *string
	OrderID        int64
	Take           int
	After          string
	Types          []string
	Limit          int
	Wait           *int
	Headers        map[string]string
	Body           []byte
	Secrets        []string
	NowMs          int64
	ToleranceMs    int64
	Name           string
	Args           []json.RawMessage
}

type driver struct {
	timing   *fakeTiming
	client   *purser.Client
	purchase *purser.Purchase
	place    purser.Place
}

var background = context.Background()

func main() {
	d := &driver{timing: &fakeTiming{}}
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var c command
		if err := json.Unmarshal(line, &c); err != nil {
			panic(err)
		}
		reply, err := json.Marshal(d.run(c))
		if err != nil {
			panic(err)
		}
		os.Stdout.Write(append(reply, '\n'))
	}
}

func (d *driver) run(c command) map[string]any {
	d.timing.delaysMs = []int64{}
	value, err := d.do(c)
	reply := map[string]any{"value": withTexts(value)}
	var failure *purser.Error
	var refusal *purser.WebhookVerificationError
	switch {
	case errors.As(err, &failure):
		reply = map[string]any{"error": shown(failure), "value": withTexts(value)}
	case errors.As(err, &refusal):
		reply = map[string]any{"refused": refusal.Reason}
	case errors.Is(err, purser.ErrInvalid):
		reply = map[string]any{"invalid": true}
	case err != nil:
		panic(err)
	}
	reply["delaysMs"] = d.timing.delaysMs
	return reply
}

func (d *driver) do(c command) (any, error) {
	switch c.Do {
	case "client":
		return nil, d.begin(c)
	case "purchase":
		return d.make(c)
	case "send":
		return d.purchase.Send(background)
	case "done":
		return nil, d.purchase.Done()
	case "unfinished":
		purchases, err := d.client.Unfinished()
		return len(purchases), err
	case "resume":
		purchases, err := d.client.Unfinished()
		if len(purchases) > 0 {
			d.purchase = purchases[0]
		}
		return len(purchases), err
	case "download":
		return d.download(c)
	case "events":
		return d.events(c)
	case "forgetPlace":
		return nil, d.place.Save("")
	case "verify":
		header := http.Header{}
		for name, value := range c.Headers {
			header.Add(name, value)
		}
		now := func() time.Time { return time.UnixMilli(c.NowMs) }
		tolerance := time.Duration(c.ToleranceMs) * time.Millisecond
		event, err := purser.Verifier{Secrets: c.Secrets, Now: now, Tolerance: tolerance}.Verify(header, c.Body)
		if err != nil {
			return nil, err
		}
		return event.Raw, nil
	}
	return d.call(c)
}

func (d *driver) begin(c command) (err error) {
	d.timing = &fakeTiming{now: time.UnixMilli(1_700_000_000_000)}
	timeout := time.Duration(c.TimeoutMs) * time.Millisecond
	options := purser.Options{
		BaseURLs: c.BaseURLs, APIKey: c.APIKey, Timeout: timeout, PurchaseTimeout: timeout,
		MaxAttempts: c.MaxAttempts, Timing: d.timing,
	}
	d.place = nil
	if c.Store != "" {
		options.Store = purser.NewFilePurchaseStore(c.Store)
	}
	if c.Place != "" {
		d.place = purser.FilePlace(c.Place)
	}
	d.client, err = purser.New(options)
	return err
}

func (d *driver) make(c command) (_ any, err error) {
	request := purser.PurchaseRequest{
		ProductID: c.Request.ProductID, Quantity: c.Request.Quantity,
		ExpectedPriceUsdt: purser.Decimal(c.Request.Price), Recipient: c.Request.Recipient,
	}
	if c.IdempotencyKey == nil {
		d.purchase, err = d.client.Purchase(request)
	} else {
		d.purchase, err = d.client.PurchaseWithKey(request, *c.IdempotencyKey)
	}
	if err != nil {
		return nil, err
	}
	return d.purchase.IdempotencyKey, nil
}

func (d *driver) download(c command) (any, error) {
	download, err := d.client.Download(background, c.OrderID)
	if err != nil {
		return nil, err
	}
	defer download.Close()
	content, err := io.ReadAll(download)
	if err != nil {
		return nil, err
	}
	file := make([]byte, 200_000)
	for index := range file {
		file[index] = byte(index % 251)
	}
	return map[string]any{
		"contentType": download.ContentType, "contentLengthBytes": download.ContentLengthBytes,
		"bytes": len(content), "isTheFile": bytes.Equal(content, file),
	}, nil
}

func (d *driver) events(c command) (any, error) {
	options := purser.EventsOptions{Place: d.place, After: c.After, Types: c.Types, Limit: c.Limit}
	if c.Wait != nil {
		options.Wait, options.NoWait = time.Duration(*c.Wait)*time.Second, *c.Wait == 0
	}
	stream := d.client.Events(background, options)
	taken := []json.RawMessage{}
	for stream.Next() {
		taken = append(taken, stream.Event().Raw)
		if len(taken) == c.Take {
			break
		}
	}
	return taken, stream.Err()
}

func (d *driver) call(c command) (any, error) {
	switch c.Name {
	case "health":
		return d.client.Health(background)
	case "balance":
		return d.client.Balance(background)
	case "products":
		var ids []int64
		if len(c.Args) > 0 {
			must(json.Unmarshal(c.Args[0], &ids))
		}
		return d.client.Products(background, ids...)
	case "order":
		return d.client.Order(background, number(c, 0))
	case "receipt":
		return d.client.Receipt(background, number(c, 0))
	case "waitForOrder":
		var options purser.WaitOptions
		if len(c.Args) > 1 {
			options.MaxWait = time.Duration(number(c, 1)) * time.Millisecond
		}
		return d.client.WaitForOrder(background, number(c, 0), options)
	case "webhook.get":
		webhook, err := d.client.Webhook.Get(background)
		return map[string]any{"webhook": webhook}, err
	case "webhook.set":
		var request purser.WebhookRequest
		var threshold string
		must(json.Unmarshal(c.Args[0], &request.URL))
		must(json.Unmarshal(c.Args[1], &request.Events))
		must(json.Unmarshal(c.Args[2], &threshold))
		amount := purser.Decimal(threshold)
		request.BalanceThresholdUsdt = &amount
		webhook, err := d.client.Webhook.Set(background, request)
		return map[string]any{"webhook": webhook}, err
	case "webhook.delete":
		return nil, d.client.Webhook.Delete(background)
	}
	panic("no call is named " + c.Name)
}

func number(c command, index int) (value int64) {
	must(json.Unmarshal(c.Args[index], &value))
	return value
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// shown is an error as the table has it: what isn't there is null.
func shown(e *purser.Error) map[string]any {
	fields := map[string]any{
		"code": e.Code, "message": e.Error(), "isCharged": string(e.IsCharged), "attempts": e.Attempts,
	}
	if e.IsCharged == purser.NotCharged {
		fields["isCharged"] = false
	}
	if e.Status != 0 {
		fields["status"] = e.Status
	}
	if e.RequestID != "" {
		fields["requestId"] = e.RequestID
	}
	if e.RetryAfterSeconds != 0 {
		fields["retryAfterSeconds"] = e.RetryAfterSeconds
	}
	if e.CurrentPriceUsdt != "" {
		fields["currentPriceUsdt"] = string(e.CurrentPriceUsdt)
	}
	if e.IdempotencyKey != "" {
		fields["idempotencyKey"] = e.IdempotencyKey
	}
	return fields
}

// withTexts has money as texts, with the digits that the client has.
func withTexts(value any) any {
	if failed, isError := value.(error); isError {
		panic(failed)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var read any
	must(decoder.Decode(&read))
	return texts("", read)
}

func texts(name string, value any) any {
	switch value := value.(type) {
	case map[string]any:
		for field, inner := range value {
			value[field] = texts(field, inner)
		}
	case []any:
		for index, inner := range value {
			value[index] = texts(name, inner)
		}
	case json.Number:
		if strings.HasSuffix(name, "Usdt") {
			return value.String()
		}
	}
	return value
}
