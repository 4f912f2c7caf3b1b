// Calls Verify with the cases on stdin, and prints which of them it took.
package main

import (
	"encoding/base64"
	"encoding/json"
	"log"
	"net/http"
	"os"

	webhook "docs/verify"
)

func main() {
	var asked struct {
		Secret string
		Cases  [][2]json.RawMessage
	}
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		log.Fatal(err)
	}
	taken := []bool{}
	for _, each := range asked.Cases {
		var headers map[string]string
		var text string
		if json.Unmarshal(each[0], &headers) != nil || json.Unmarshal(each[1], &text) != nil {
			log.Fatal("a case that is none")
		}
		body, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			log.Fatal(err)
		}
		header := http.Header{}
		for name, value := range headers {
			header.Set(name, value)
		}
		taken = append(taken, webhook.Verify(asked.Secret, header, body) == nil)
	}
	json.NewEncoder(os.Stdout).Encode(taken)
}
