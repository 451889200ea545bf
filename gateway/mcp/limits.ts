/** MCP: limits, with their units in their names. */
import { KiB, MiB } from '../../proto/units.ts'

export const mcpLimits = {
  /**
   * The idle time of a session that a client did not request explicitly, counted from its last
   * command.
   */
  mcpIdleMinutes: 15,
  mcpMaxMinutes: 24 * 60,
  /** Of the random name of the marks around page text. */
  markBytes: 2,
  /** Model providers accept images of 5 MiB. */
  mcpImageChars: 5 * MiB,
  mcpProgressMs: 1_000,
  /** uWebSockets.js ends a response that has not been written to for 10 s. */
  mcpKeepAliveMs: 5_000,
  mcpToolsTtlMs: 60 * 60_000,
  mcpDefaultSessionsRemembered: 1_000,
  /** A command may take `commandMs`, and may have to wait for a session first. */
  mcpCallMs: 150_000,
  mcpLeaveMs: 3_000,
  /** How long to wait for a service that does not listen: a restart takes about as long. */
  mcpReconnectMs: 2_500,
  mcpReconnectPollMs: 100,

  /** Resources are listed for this many sessions, the newest ones. */
  resourceSessions: 10,
  resourceBytes: 10 * MiB,

  /** Clients give up on a call after a minute. */
  taskWaitSeconds: 50,
  taskWaitSecondsDefault: 30,
  taskPollMs: 1_000,

  agentCallBytes: 256 * KiB,
  agentGreetMs: 2_000,
} as const
