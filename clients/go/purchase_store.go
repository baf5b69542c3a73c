package purser

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// StoredPurchase is a purchase that is not done; Body is the JSON that is sent, as it is.
type StoredPurchase struct {
	IdempotencyKey string
	Body           string
}

// PurchaseStore keeps purchases that are not done. Write your own to keep them in a database.
type PurchaseStore interface {
	// Save returns when it is stored for good. A key may be saved again, with the same body.
	Save(purchase StoredPurchase) error
	// Remove: the purchase is done. A key that isn't there is no error.
	Remove(idempotencyKey string) error
	// Unfinished are all that are not done, oldest first.
	Unfinished() ([]StoredPurchase, error)
}

// FilePurchaseStore keeps purchases in a file, each before its request goes out, so that a crash loses none.
//
// The file has one line of JSON for each purchase begun and for each one done, and is only appended to; the clients in
// other languages read and write the same. A line is on disk when Save returns, and one that a crash cut short never
// spoils the next. Programs that run at the same time must not share a file.
type FilePurchaseStore struct {
	path  string
	mutex sync.Mutex
}

func NewFilePurchaseStore(path string) *FilePurchaseStore { return &FilePurchaseStore{path: path} }

type storedLine struct {
	IdempotencyKey string  `json:"idempotencyKey"`
	Body           *string `json:"body,omitempty"`
	Done           bool    `json:"done,omitempty"`
}

func (s *FilePurchaseStore) Save(purchase StoredPurchase) error {
	return s.append(storedLine{IdempotencyKey: purchase.IdempotencyKey, Body: &purchase.Body})
}

func (s *FilePurchaseStore) Remove(idempotencyKey string) error {
	return s.append(storedLine{IdempotencyKey: idempotencyKey, Done: true})
}

func (s *FilePurchaseStore) Unfinished() ([]StoredPurchase, error) {
	text, err := os.ReadFile(s.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	bodies := map[string]string{}
	var keys []string
	for _, line := range strings.Split(string(text), "\n") {
		var row storedLine
		if json.Unmarshal([]byte(line), &row) != nil || row.IdempotencyKey == "" {
			continue
		}
		if row.Body == nil {
			delete(bodies, row.IdempotencyKey)
			continue
		}
		if _, isThere := bodies[row.IdempotencyKey]; !isThere {
			keys = append(keys, row.IdempotencyKey)
		}
		bodies[row.IdempotencyKey] = *row.Body
	}
	var purchases []StoredPurchase
	for _, key := range keys {
		if body, isThere := bodies[key]; isThere {
			purchases = append(purchases, StoredPurchase{key, body})
			delete(bodies, key)
		}
	}
	return purchases, nil
}

func (s *FilePurchaseStore) append(row storedLine) error {
	line, err := json.Marshal(row)
	if err != nil {
		return err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	file, err := os.OpenFile(s.path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	last := []byte{'\n'}
	if size > 0 {
		if _, err := file.ReadAt(last, size-1); err != nil {
			return err
		}
	}
	line = append(line, '\n')
	if last[0] != '\n' {
		// The line before was cut short by a crash.
		line = append([]byte{'\n'}, line...)
	}
	if _, err := file.Write(line); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	if size == 0 {
		syncFolder(s.path)
	}
	return nil
}

// syncFolder lets a new file be found after a power cut. Some systems sync no folders: then it is theirs to see to.
func syncFolder(path string) {
	if folder, err := os.Open(filepath.Dir(path)); err == nil {
		_ = folder.Sync()
		folder.Close()
	}
}
