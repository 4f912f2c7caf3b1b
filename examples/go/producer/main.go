// Sends a message for each order that is given: go run main.go 17 18
//
// Needs PETREL (such as http://127.0.0.1:8071/api/v1) and TOKEN in the environment.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"time"
)

const attempts = 10

var client = http.Client{Timeout: 30 * time.Second}

type message struct {
	EventType string `json:"eventType"`
	Payload   any    `json:"payload"`
}

// send returns the message's id. The key makes it one message, however often the request is repeated.
func send(application string, message message, key string) (string, error) {
	body, err := json.Marshal(message)
	if err != nil {
		return "", err
	}
	url := os.Getenv("PETREL") + "/app/" + application + "/msg"
	for attempt := 0; attempt < attempts; attempt++ {
		request, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
		if err != nil {
			return "", err
		}
		request.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
		request.Header.Set("Idempotency-Key", key)
		id, wait, err := try(request)
		if id != "" || err != nil {
			return id, err
		}
		if wait < 0 {
			wait = 100 * time.Millisecond << attempt
		}
		time.Sleep(wait)
	}
	return "", fmt.Errorf("not accepted after %d attempts; run it again", attempts)
}

// try returns the message's id, or how long to wait before the next attempt (negative: not said).
func try(request *http.Request) (string, time.Duration, error) {
	response, err := client.Do(request)
	if err != nil { // No connection, or no answer: it may have been accepted all the same.
		return "", -1, nil
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return "", -1, nil
	}
	if response.StatusCode == http.StatusAccepted {
		var accepted struct{ ID string }
		err := json.Unmarshal(text, &accepted)
		return accepted.ID, 0, err
	}
	if response.StatusCode != http.StatusTooManyRequests && response.StatusCode < 500 {
		return "", 0, fmt.Errorf("refused: %s %s", response.Status, text)
	}
	seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
	if err != nil {
		return "", -1, nil
	}
	return "", time.Duration(seconds) * time.Second, nil
}

func main() {
	for _, text := range os.Args[1:] {
		order, err := strconv.Atoi(text)
		if err != nil {
			log.Fatal(err)
		}
		paid := message{"order.paid", map[string]int{"order": order}}
		id, err := send("acme", paid, fmt.Sprintf("order-%d-paid", order))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(order, id)
	}
}
