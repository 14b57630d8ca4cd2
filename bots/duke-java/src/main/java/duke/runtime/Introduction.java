package duke.runtime;

import arena.v1.DescribeRequest;
import arena.v1.DescribeResponse;
import com.google.protobuf.ByteString;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * What the bot says of itself, and the secret bytes that it puts into the deals: pledged by their
 * hash, and given once, when it is told the commitment and all pledges. So not even the host can
 * choose the deals.
 */
final class Introduction {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static byte[] secret = randomBytes();

  private Introduction() {}

  private static byte[] randomBytes() {
    byte[] bytes = new byte[16];
    RANDOM.nextBytes(bytes);
    return bytes;
  }

  /** Answers Describe, by whichever way it is asked. */
  static synchronized DescribeResponse answer(DescribeRequest request) {
    DescribeResponse.Builder answer = Main.DESCRIPTION.toBuilder();
    answer.setPledge(ByteString.copyFrom(sha256(secret)));
    if (!request.getPledges().isEmpty()) {
      answer.setContribution(ByteString.copyFrom(secret));
      System.err.printf(
          "put into the deals: bytes %s, commitment %s, pledges %s%n",
          HexFormat.of().formatHex(secret),
          HexFormat.of().formatHex(request.getCommitment().toByteArray()),
          HexFormat.of().formatHex(request.getPledges().toByteArray()));
      secret = randomBytes(); // what was given is a secret no more
    }
    return answer.build();
  }

  private static byte[] sha256(byte[] data) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(data);
    } catch (NoSuchAlgorithmException problem) {
      throw new IllegalStateException("every Java has SHA-256", problem);
    }
  }
}
