package purser

import (
	"net/url"
	"strings"
	"sync"
)

// addresses are the base addresses of one shop, and which of them is asked first: the one that answered last, or the
// leader. A node's word about its leader chooses among the addresses that the program gave, and adds none: the API key
// goes nowhere else.
type addresses struct {
	all []string

	mutex sync.Mutex
	begin string
}

func (a *addresses) first() string {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.begin
}

func (a *addresses) answered(address string) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.begin = address
}

// after is whom to ask next of those not asked yet: the leader, or the next in order; empty when all were.
func (a *addresses) after(address, leaderURL string, asked map[string]bool) string {
	var others []string
	for at, one := range a.all {
		if one == address {
			others = append(append(others, a.all[at+1:]...), a.all[:at]...)
		}
	}
	candidates := others
	for _, other := range others {
		if leaderURL != "" && origin(other) == origin(leaderURL) {
			candidates = append([]string{other}, others...)
		}
	}
	a.mutex.Lock()
	if a.begin == address && len(candidates) > 0 {
		a.begin = candidates[0]
	}
	a.mutex.Unlock()
	for _, candidate := range candidates {
		if !asked[candidate] {
			return candidate
		}
	}
	return ""
}

func origin(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(parsed.Scheme + "://" + parsed.Host)
}
