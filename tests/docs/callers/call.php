<?php
// Calls verify() with the cases on stdin, and prints which of them it took.

require 'verify.php';

$asked = json_decode(stream_get_contents(STDIN), true);
$taken = [];
foreach ($asked['cases'] as [$headers, $body]) {
    try {
        verify($asked['secret'], $headers, base64_decode($body));
        $taken[] = true;
    } catch (RuntimeException) {
        $taken[] = false;
    }
}
echo json_encode($taken);
