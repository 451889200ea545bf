// Called once by the agent. These settings apply to all profiles, pages and workers until the
// extension is removed, whether this worker is running or not.
globalThis.troupe = async (scheme, port) => {
  const { declarativeNetRequest, privacy, proxy } = chrome
  const singleProxy = { scheme, host: '127.0.0.1', port }
  // Without this bypass rule Chromium would connect to loopback directly.
  const rules = { singleProxy, bypassList: ['<-loopback>'] }
  await proxy.settings.set({ value: { mode: 'fixed_servers', rules } })
  // WebRTC would send UDP past the proxy, and predictions would query name servers and connect.
  await privacy.network.webRTCIPHandlingPolicy.set({ value: 'disable_non_proxied_udp' })
  await privacy.network.networkPredictionEnabled.set({ value: false })
  // Reading a file does not use the network, so the proxy does not see it.
  const resourceTypes = Object.values(declarativeNetRequest.ResourceType)
  const files = {
    id: 1,
    action: { type: 'block' },
    condition: { urlFilter: '|file:', resourceTypes },
  }
  await declarativeNetRequest.updateSessionRules({ removeRuleIds: [1], addRules: [files] })
  const { levelOfControl } = await proxy.settings.get({})
  return levelOfControl
}
