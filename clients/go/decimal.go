package purser

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// Decimal is an amount with every digit, such as "9.50": no amount ever passes through a float. Rat is for sums.
type Decimal string

var (
	amountForm = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)
	numberForm = regexp.MustCompile(`^(-?)([0-9]+)(?:\.([0-9]+))?[eE]([-+]?[0-9]{1,3})$`)
)

// Rat is the exact value, for arithmetic and comparison; nil when it is no amount.
func (d Decimal) Rat() *big.Rat {
	if !amountForm.MatchString(string(d)) {
		return nil
	}
	value, _ := new(big.Rat).SetString(string(d))
	return value
}

// MarshalJSON writes a JSON number with the same digits.
func (d Decimal) MarshalJSON() ([]byte, error) {
	if !amountForm.MatchString(string(d)) {
		return nil, fmt.Errorf("%w: %q is no amount such as 9.50", ErrInvalid, string(d))
	}
	return []byte(d), nil
}

// UnmarshalJSON keeps the digits of a JSON number.
func (d *Decimal) UnmarshalJSON(text []byte) error {
	var number json.Number
	if err := json.Unmarshal(text, &number); err != nil {
		return err
	}
	*d = Decimal(plain(number.String()))
	return nil
}

// plain writes 1e-7 as 0.0000001.
func plain(number string) string {
	parts := numberForm.FindStringSubmatch(number)
	if parts == nil {
		return number
	}
	shift, _ := strconv.Atoi(parts[4])
	digits, point := parts[2]+parts[3], len(parts[2])+shift
	if point <= 0 {
		digits, point = strings.Repeat("0", 1-point)+digits, 1
	}
	if point > len(digits) {
		digits += strings.Repeat("0", point-len(digits))
	}
	whole := strings.TrimLeft(digits[:point], "0")
	if whole == "" {
		whole = "0"
	}
	if rest := digits[point:]; rest != "" {
		whole += "." + rest
	}
	return parts[1] + whole
}
