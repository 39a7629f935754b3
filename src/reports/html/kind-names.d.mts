import type { EvidenceKind } from '../../contract/evidence.js';

export declare const kindNames: { readonly [Kind in EvidenceKind]: string };
