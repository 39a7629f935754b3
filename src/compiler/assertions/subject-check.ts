// What an assertion speaks of: each operation, namespace, event, callback, fault, instance, actor and interaction exists.
import type { Footprint } from '../../contract/run/assertion.js';
import type { Timeline } from '../../contract/run/drill.js';
import type { ScenarioActor } from '../../contract/world/scenario.js';
import type { Diagnostics } from '../diagnostics.js';
import { didYouMean } from '../did-you-mean.js';
import { hasInteraction, interactionExamples } from '../interaction-ids.js';
import type { SourceDocument } from '../source-document.js';
import type { ToolCatalog } from '../tool-catalog.js';

export interface AssertionPlace {
  document: SourceDocument;
  path: string;
  /** Those of the setup, as `packageId instanceId`, but for the default ones. */
  instances: ReadonlySet<string>;
  actors: readonly ScenarioActor[];
  timeline: Timeline;
}
type InPackage = { packageId: string; instanceId?: string };

/** Of one assertion. `where` is a JSON Pointer below it; '' is the assertion. */
export class SubjectCheck {
  readonly #diagnostics: Diagnostics;
  readonly #catalog: ToolCatalog;
  readonly #at: AssertionPlace;

  constructor({ diagnostics, catalog }: { diagnostics: Diagnostics; catalog: ToolCatalog }, at: AssertionPlace) {
    this.#diagnostics = diagnostics;
    this.#catalog = catalog;
    this.#at = at;
  }

  rows(where: string, rows: InPackage & { namespace: string }): void {
    this.#catalog.find('namespaces', { packageId: rows.packageId, id: rows.namespace }, this.#below(where));
    this.#instance(where, rows);
  }

  footprints(where: string, footprints: readonly Footprint[] = []): void {
    for (const [index, { namespace, ...rest }] of footprints.entries()) {
      const here = `${where}/${index}`;
      if (namespace !== undefined) this.rows(here, { ...rest, namespace });
      else if (this.#catalog.findPackage(rest.packageId, this.#below(here))) this.#instance(here, rest);
    }
  }

  operation(where: string, { actorId, operationId, ...operation }: InPackage & { operationId: string; actorId?: string }): void {
    this.#catalog.find('operations', { packageId: operation.packageId, id: operationId }, this.#below(where));
    this.#instance(where, operation);
    // Any instance of the actor will do here.
    const ids = [...new Set(this.#at.actors.map(({ id }) => id))];
    if (actorId === undefined || ids.includes(actorId)) return;
    this.#diagnostics.report('DY3010', this.#place(`${where}/actorId`), `there is no actor '${actorId}'`, {
      suggestion: didYouMean(actorId, ids),
    });
  }

  event(where: string, event: InPackage & { eventId: string }): void {
    this.#catalog.find('events', { packageId: event.packageId, id: event.eventId }, this.#below(where));
    this.#instance(where, event);
  }

  callback(where: string, callback: InPackage & { callbackId: string }): void {
    this.#catalog.find('callbacks', { packageId: callback.packageId, id: callback.callbackId }, this.#below(where));
    this.#instance(where, callback);
  }

  fault(where: string, fault: InPackage & { faultId: string; operationId?: string }): void {
    const { packageId, faultId, operationId } = fault;
    const tool = this.#catalog.find('faults', { packageId, id: faultId }, this.#below(where));
    this.#instance(where, fault);
    if (tool === undefined || operationId === undefined) return;
    if (!this.#catalog.find('operations', { packageId, id: operationId }, this.#below(where))) return;
    const hit = tool.faults.get(faultId);
    if (hit === undefined || hit.has(operationId)) return;
    const message = `fault '${faultId}' never happens to calls of '${operationId}'`;
    this.#diagnostics.report('DY4007', this.#place(`${where}/operationId`), message, { suggestion: didYouMean(operationId, [...hit]) });
  }

  interaction(where: string, interactionId: string): void {
    const { timeline } = this.#at;
    if (hasInteraction(timeline, interactionId)) return;
    this.#diagnostics.report('DY3015', this.#place(where), `the drill has no interaction '${interactionId}'`, {
      suggestion: didYouMean(interactionId, interactionExamples(timeline)),
    });
  }

  #instance(where: string, { packageId, instanceId }: InPackage): void {
    const { instances } = this.#at;
    if (instanceId === undefined || instanceId === packageId || !this.#catalog.has(packageId)) return;
    if (instances.has(`${packageId} ${instanceId}`)) return;
    const known = [
      packageId,
      ...[...instances].filter((key) => key.startsWith(`${packageId} `)).map((key) => key.slice(packageId.length + 1)),
    ];
    const message = `the world has no instance '${instanceId}' of '${packageId}'`;
    this.#diagnostics.report('DY3012', this.#place(`${where}/instanceId`), message, {
      suggestion: didYouMean(instanceId, [...new Set(known)]),
    });
  }

  #below(where: string): { document: SourceDocument; path: string } {
    return { document: this.#at.document, path: this.#at.path + where };
  }
  #place(where: string): ReturnType<SourceDocument['place']> {
    return this.#at.document.place(this.#at.path + where);
  }
}
