// Called by the agent. The rules are Chromium's own, and hold whether this worker is running or not.
const { declarativeNetRequest } = chrome

/** Rules that block have higher ids. */
const idsBelowBlocking = 1_000_000

/** Since the agent took the number last. An event keeps the worker running for longer than it waits. */
let blocked = 0
const count = ({ rule: { ruleId } }) => {
  if (ruleId > idsBelowBlocking) blocked++
}
declarativeNetRequest.onRuleMatchedDebug.addListener(count)

const orders = {
  async setRules(rules) {
    const old = await declarativeNetRequest.getSessionRules()
    const isBlocking = ({ action }) => action.type === 'block'
    const idOf = (rule, index) => index + 1 + (isBlocking(rule) ? idsBelowBlocking : 0)
    const allTypes = Object.values(declarativeNetRequest.ResourceType)
    // Without types, a rule would leave out pages.
    const withTypes = (condition) =>
      condition.resourceTypes || condition.excludedResourceTypes
        ? condition
        : { ...condition, resourceTypes: allTypes }
    await declarativeNetRequest.updateSessionRules({
      removeRuleIds: old.map(({ id }) => id),
      addRules: rules.map((rule, index) => ({
        ...{ id: idOf(rule, index), priority: index + 1 },
        ...{ action: rule.action, condition: withTypes(rule.condition) },
      })),
    })
    // Otherwise each request with an added header would wake the worker.
    if (!rules.some(isBlocking)) declarativeNetRequest.onRuleMatchedDebug.removeListener(count)
  },

  takeBlocked() {
    const taken = blocked
    blocked = 0
    return taken
  },
}

globalThis.troupe = (order, given) => orders[order](given)
