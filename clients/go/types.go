package purser

import (
	"encoding/json"
	"errors"
)

// The API's answers. Fields that a later server adds are ignored; texts such as Status may have values of a later one.

type Health struct {
	Service   string `json:"service"`
	Status    string `json:"status"`
	Version   string `json:"version"`
	RequestID string `json:"requestId"`
}

type Balance struct {
	BalanceUsdt Decimal `json:"balanceUsdt"`
	RequestID   string  `json:"requestId"`
}

type Catalog struct {
	Products  []Product `json:"products"`
	RequestID string    `json:"requestId"`
}

type Product struct {
	ID                int64             `json:"id"`
	Name              string            `json:"name"`
	Description       string            `json:"description"`
	Instructions      string            `json:"instructions"`
	Type              string            `json:"type"`
	PriceUsdt         Decimal           `json:"priceUsdt"`
	PriceTiers        []PriceTier       `json:"priceTiers"`
	AvailableStock    Stock             `json:"availableStock"`
	RequiresRecipient bool              `json:"requiresRecipient"`
	Active            bool              `json:"active"`
	SKU               *string           `json:"sku"`
	Category          *string           `json:"category"`
	Attributes        map[string]string `json:"attributes"`
	ImageURL          *string           `json:"imageUrl"`
	MinQuantity       int64             `json:"minQuantity"`
	MaxQuantity       *int64            `json:"maxQuantity"`
}

type PriceTier struct {
	MinQuantity int64   `json:"minQuantity"`
	PriceUsdt   Decimal `json:"priceUsdt"`
}

// Stock is how many can be bought: a number, or without end.
type Stock struct {
	Count     int64
	Unlimited bool
}

func (s *Stock) UnmarshalJSON(text []byte) error {
	*s = Stock{Unlimited: string(text) == `"unlimited"`}
	if s.Unlimited {
		return nil
	}
	return json.Unmarshal(text, &s.Count)
}

func (s Stock) MarshalJSON() ([]byte, error) {
	if s.Unlimited {
		return []byte(`"unlimited"`), nil
	}
	return json.Marshal(s.Count)
}

type Order struct {
	OrderID int64 `json:"orderId"`
	// Status is processing, pending_delivery, completed, failed, refunded, or one of a later version.
	Status         string  `json:"status"`
	ProductID      int64   `json:"productId"`
	Quantity       int64   `json:"quantity"`
	TotalPriceUsdt Decimal `json:"totalPriceUsdt"`
	// CreatedAt is in Unix milliseconds.
	CreatedAt int64 `json:"createdAt"`
	// Delivery is there exactly when the order is completed.
	Delivery *Delivery `json:"delivery,omitempty"`
	// BalanceAfterUsdt is only in the answer of a purchase.
	BalanceAfterUsdt *Decimal `json:"balanceAfterUsdt,omitempty"`
	RequestID        string   `json:"requestId"`
}

// Delivery has Items, or the DownloadURL of a file.
type Delivery struct {
	Items       []string `json:"items,omitempty"`
	DownloadURL string   `json:"downloadUrl,omitempty"`
}

type Receipt struct {
	Receipt   string `json:"receipt"`
	RequestID string `json:"requestId"`
}

// Webhook has Secret only in the answer of Set, SecretMasked only in that of Get.
type Webhook struct {
	URL                  string   `json:"url"`
	Events               []string `json:"events"`
	BalanceThresholdUsdt *Decimal `json:"balanceThresholdUsdt,omitempty"`
	Secret               string   `json:"secret,omitempty"`
	SecretMasked         string   `json:"secretMasked,omitempty"`
}

// Event is what a webhook is told, and what Events gives. Which fields there are says Type.
type Event struct {
	// EventID is the same in every delivery of one event: use it to recognise repeats.
	EventID           string   `json:"eventId"`
	Type              string   `json:"type"`
	CreatedAt         int64    `json:"createdAt,omitempty"`
	OrderID           int64    `json:"orderId,omitempty"`
	ProductID         int64    `json:"productId,omitempty"`
	ProductIDs        []int64  `json:"productIds,omitempty"`
	BalanceUsdt       *Decimal `json:"balanceUsdt,omitempty"`
	ThresholdUsdt     *Decimal `json:"thresholdUsdt,omitempty"`
	RefundedUsdt      *Decimal `json:"refundedUsdt,omitempty"`
	TotalRefundedUsdt *Decimal `json:"totalRefundedUsdt,omitempty"`
	AmountUsdt        *Decimal `json:"amountUsdt,omitempty"`
	Reference         string   `json:"reference,omitempty"`
	// Items are places in the order, from 0.
	Items []int64 `json:"items,omitempty"`
	// Raw is all of it, with what this version doesn't know.
	Raw json.RawMessage `json:"-"`
}

func (e *Event) UnmarshalJSON(text []byte) error {
	type fields Event
	err := unmarshal(text, (*fields)(e))
	e.Raw = append(json.RawMessage(nil), text...)
	return err
}

// unmarshal leaves out a field whose type is another one in a later version.
func unmarshal(text []byte, into any) error {
	err := json.Unmarshal(text, into)
	var other *json.UnmarshalTypeError
	if errors.As(err, &other) && other.Field != "" {
		return nil
	}
	return err
}
