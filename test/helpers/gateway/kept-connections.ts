/**
 * Closes the connections that `fetch` keeps for its next request. A server of uWebSockets.js in the
 * same process cannot close them, and would keep a test file alive until they end by themselves,
 * four seconds after its last request.
 */
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici'

export function closeKeptConnections(): void {
  const earlier = getGlobalDispatcher()
  setGlobalDispatcher(new Agent())
  // Waits for requests under way, which the caller need not do.
  void earlier.close()
}
