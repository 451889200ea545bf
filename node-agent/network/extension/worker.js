// Called once by the agent. What is set here holds for every profile, page and worker until the
// extension is removed, whether this worker runs or not.
globalThis.troupe = async (port) => {
  const { declarativeNetRequest, privacy, proxy } = chrome
  const singleProxy = { scheme: 'http', host: '127.0.0.1', port }
  // Without the bypass rule Chromium would reach loopback by itself.
  const rules = { singleProxy, bypassList: ['<-loopback>'] }
  await proxy.settings.set({ value: { mode: 'fixed_servers', rules } })
  // WebRTC would send UDP past any proxy; predictions would ask name servers and open connections.
  await privacy.network.webRTCIPHandlingPolicy.set({ value: 'disable_non_proxied_udp' })
  await privacy.network.networkPredictionEnabled.set({ value: false })
  // Files are read without a network.
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
