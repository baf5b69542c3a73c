package purser

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

// Download reads a file's bytes. When the connection breaks, the rest is requested of the same file (its ETag). Close it
// when you don't read it to its end: it holds a connection.
type Download struct {
	ContentType string
	// ContentLengthBytes is -1 when the server doesn't say.
	ContentLengthBytes int64

	ctx    context.Context
	caller *caller
	path   string
	// etag is empty when the server gave none that proves equality: then a broken download can't be resumed.
	etag     string
	answer   *answer
	received int64
	breaks   int
}

func openDownload(ctx context.Context, c *caller, path string) (*Download, error) {
	d := &Download{ctx: ctx, caller: c, path: path, ContentLengthBytes: -1}
	if err := d.open(map[string]string{}); err != nil {
		return nil, err
	}
	d.ContentType = d.answer.Header.Get("Content-Type")
	if encoding := d.answer.Header.Get("Content-Encoding"); encoding == "" || encoding == "identity" {
		d.ContentLengthBytes = d.answer.ContentLength
		if etag := d.answer.Header.Get("ETag"); strings.HasPrefix(etag, `"`) {
			d.etag = etag
		}
	}
	return d, nil
}

// Read never takes a file that is shorter than announced for whole.
func (d *Download) Read(into []byte) (int, error) {
	for {
		d.answer.timer.Reset(d.caller.timeout)
		count, err := d.answer.Body.Read(into)
		d.answer.timer.Stop()
		if count > 0 {
			d.received += int64(count)
			d.breaks = 0
			return count, nil
		}
		isShort := d.ContentLengthBytes >= 0 && d.received < d.ContentLengthBytes
		if err == nil {
			return 0, nil
		}
		if errors.Is(err, io.EOF) && !isShort {
			return 0, io.EOF
		}
		if err := d.resume(failed(d.ctx, d.answer.Request.Context(), err)); err != nil {
			return 0, err
		}
	}
}

func (d *Download) Close() error {
	d.answer.close()
	return nil
}

// SaveTo writes a file that is there whole, or not at all, and closes the download.
func (d *Download) SaveTo(path string) error {
	defer d.Close()
	unfinished := path + ".unfinished"
	file, err := os.Create(unfinished)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := io.Copy(file, d); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	if err := os.Rename(unfinished, path); err != nil {
		return err
	}
	syncFolder(path)
	return nil
}

func (d *Download) open(headers map[string]string) error {
	// Positions in a compressed answer are not positions in the file.
	headers["Accept-Encoding"] = "identity"
	opened, err := d.caller.open(d.ctx, apiRequest{method: "GET", path: d.path, headers: headers})
	if err != nil {
		return err
	}
	opened.timer.Stop()
	d.answer = opened
	return nil
}

func (d *Download) resume(failure *Error) error {
	d.answer.close()
	d.breaks++
	failure.Attempts, failure.IsCharged = d.breaks, NotCharged
	if d.etag == "" || d.breaks >= d.caller.maxAttempts || !policyOf(failure).isRetried {
		return failure
	}
	delay := retryDelay(d.breaks, 0, d.caller.timing.Random())
	if d.caller.timing.Sleep(d.ctx, delay) != nil {
		return aborted(d.ctx)
	}
	headers := map[string]string{"Range": fmt.Sprintf("bytes=%d-", d.received), "If-Range": d.etag}
	if err := d.open(headers); err != nil {
		return err
	}
	goesOn := strings.HasPrefix(d.answer.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", d.received))
	if d.answer.StatusCode != http.StatusPartialContent || !goesOn {
		d.answer.close()
		message := "the download broke off, and the server no longer has the rest of the same file"
		status := d.answer.StatusCode
		return &Error{Code: "BAD_RESPONSE", Message: message, Status: status, Attempts: 1, IsCharged: NotCharged}
	}
	return nil
}
