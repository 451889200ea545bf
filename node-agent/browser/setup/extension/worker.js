// Called by the agent. The rules are Chromium's own, and hold whether this worker is running or not.
globalThis.troupe = async (rules) => {
  const { declarativeNetRequest } = chrome
  const old = await declarativeNetRequest.getSessionRules()
  const allTypes = Object.values(declarativeNetRequest.ResourceType)
  // Without types, a rule would leave out pages.
  const withTypes = (condition) =>
    condition.resourceTypes || condition.excludedResourceTypes
      ? condition
      : { ...condition, resourceTypes: allTypes }
  await declarativeNetRequest.updateSessionRules({
    removeRuleIds: old.map(({ id }) => id),
    addRules: rules.map(({ action, condition }, index) => ({
      ...{ id: index + 1, priority: index + 1 },
      ...{ action, condition: withTypes(condition) },
    })),
  })
}
