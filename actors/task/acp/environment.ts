/**
 * The environment variables that an agent gets: the location of its login, and how to reach the
 * network. An allowlist, so that secrets of this process (passwords of the store, the seal key,
 * provider keys) are never passed on by accident.
 */
const passed: readonly RegExp[] = [
  /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|TZ|TMPDIR|LANG|LANGUAGE|LC_[A-Z]+)$/,
  /^XDG_(CONFIG|DATA|CACHE|STATE)_HOME$|^XDG_RUNTIME_DIR$|^DBUS_SESSION_BUS_ADDRESS$/,
  /^(HTTPS?|ALL)_PROXY$|^(https?|all)_proxy$/,
  /^(NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR)$/,
]

const loopback = ['127.0.0.1', 'localhost', '::1']

export function agentEnvironment(
  ours: Readonly<Record<string, string | undefined>>,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const kept = Object.entries(ours).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && passed.some((pattern) => pattern.test(entry[0])),
  )
  // The browser's tools are on loopback, which proxies cannot reach.
  const direct = [ours['NO_PROXY'] ?? ours['no_proxy'], ...loopback].filter(Boolean).join(',')
  return { ...Object.fromEntries(kept), NO_PROXY: direct, no_proxy: direct, ...own }
}
