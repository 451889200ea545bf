// Called by the agent. The rules are Chromium's own, and hold whether this worker is running or not.
globalThis.troupe = async (rules) => {
  const { declarativeNetRequest } = chrome
  const old = await declarativeNetRequest.getSessionRules()
  const resourceTypes = Object.values(declarativeNetRequest.ResourceType)
  await declarativeNetRequest.updateSessionRules({
    removeRuleIds: old.map(({ id }) => id),
    addRules: rules.map(({ origin, headers }, index) => ({
      id: index + 1,
      priority: index + 1,
      action: {
        type: 'modifyHeaders',
        requestHeaders: headers.map(([header, value]) => ({ header, operation: 'set', value })),
      },
      condition: { resourceTypes, ...(origin && { urlFilter: `|${origin}/` }) },
    })),
  })
}
