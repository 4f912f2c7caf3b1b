// Takes webhooks, verifies them, and prints each order once. Needs SECRET (whsec_…) and PORT.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const bodyMax = 1 << 20

// Verify fails unless body, the raw bytes, was signed with secret just now.
func Verify(secret string, header http.Header, body []byte) error {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || id == "" {
		return errors.New("this is no webhook")
	}
	age := time.Since(time.Unix(seconds, 0))
	if age > 5*time.Minute || age < -5*time.Minute {
		return errors.New("the webhook is too old")
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return err
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, given := range strings.Fields(header.Get("webhook-signature")) {
		if hmac.Equal([]byte(given), expected) {
			return nil
		}
	}
	return errors.New("the signature is wrong")
}

type receiver struct {
	secret string
	mutex  sync.Mutex
	seen   map[string]bool // A real receiver keeps the ids with its data, for some days.
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, bodyMax))
	if err != nil {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	if err := Verify(r.secret, request.Header, body); err != nil {
		log.Print(err)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if err := r.once(request.Header.Get("webhook-id"), body); err != nil {
		log.Print(err)
		w.WriteHeader(http.StatusInternalServerError) // Petrel tries again.
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (r *receiver) once(id string, body []byte) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.seen[id] {
		return nil
	}
	var paid struct{ Order int }
	if err := json.Unmarshal(body, &paid); err != nil {
		return err
	}
	fmt.Println("order", paid.Order) // The work.
	r.seen[id] = true
	return nil
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s/\n", listener.Addr())
	log.Fatal(http.Serve(listener, &receiver{secret: os.Getenv("SECRET"), seen: map[string]bool{}}))
}
